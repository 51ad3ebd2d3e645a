# Spack's own openmpi with the devel headers, which the build of a component needs.  Open MPI 5.0 does not install all of
# them, so this recipe also installs the headers of the source, for --with-ompi-source.
import os

from spack_repo.builtin.packages.openmpi.package import Openmpi as Builtin

from spack.package import *


class Openmpi(Builtin):
    __doc__ = Builtin.__doc__

    variant("devel", default=True, description="Install devel headers")

    @run_after("install")
    def install_source_headers(self):
        if not self.spec.satisfies("@5: +devel"):
            return
        source = self.stage.source_path
        for header in find(source, "*.h") + [join_path(source, "VERSION")]:
            copy_of = join_path(self.prefix.share, "openmpi-source", os.path.relpath(header, source))
            mkdirp(os.path.dirname(copy_of))
            install(header, copy_of)

    def configure_args(self):
        return super().configure_args() + self.with_or_without("devel-headers", variant="devel")
