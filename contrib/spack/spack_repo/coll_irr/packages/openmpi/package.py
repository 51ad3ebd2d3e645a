# Spack's own openmpi with the devel headers, which the build of a component needs.
from spack_repo.builtin.packages.openmpi.package import Openmpi as Builtin

from spack.package import *


class Openmpi(Builtin):
    __doc__ = Builtin.__doc__

    variant("devel", default=True, description="Install devel headers")

    def configure_args(self):
        return super().configure_args() + self.with_or_without("devel-headers", variant="devel")
