# The recipe builds the last commit of the branch main of the checkout that contains the recipe.
import os

from spack_repo.builtin.build_systems.autotools import AutotoolsPackage

from spack.package import *

CHECKOUT = os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 6))


class CollIrr(AutotoolsPackage):
    """Faster all-to-all exchanges for Open MPI: a component that serves MPI_Alltoallv and its
    family, and tools that measure, plan, simulate and draw exchanges."""

    git = f"file://{CHECKOUT}"

    license("BSD-3-Clause")

    version("main", branch="main")

    variant("ucx", default=True, description="Move messages by UCX")
    variant("libfabric", default=False, description="Move messages by libfabric")
    variant("metis", default=False, description="Partition graphs with irr_matrix")

    variant("ompi_source", default="none", values=str, multi=False,
            description="Source tree of an external Open MPI 5.0, which does not install all headers")

    conflicts("~ucx~libfabric", msg="coll-irr needs ucx or libfabric")

    depends_on("c", type="build")
    depends_on("autoconf", type="build")
    depends_on("automake", type="build")
    depends_on("libtool", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("help2man", type="build")

    depends_on("openmpi@4.1:5.0+devel")
    depends_on("pmix", when="^openmpi@5:")
    depends_on("ucx@1.13:", when="+ucx")
    depends_on("libfabric@1.17:", when="+libfabric")
    depends_on("jansson@2.7:")
    depends_on("metis@5:", when="+metis")
    depends_on("python@3.8:", type="run")

    def ompi_source(self):
        """Returns the folder of the headers that Open MPI 5.0 does not install: of the recipe openmpi, or of a user."""
        given = self.spec.variants["ompi_source"].value
        if given != "none":
            return given
        openmpi = self.spec["openmpi"]
        if openmpi.external:
            raise InstallError("an external Open MPI 5.0 lacks some devel headers: add ompi_source=FOLDER, the source "
                               "tree of the same release")
        return join_path(openmpi.prefix.share, "openmpi-source")

    def configure_args(self):
        args = [f"--with-ompi={self.spec['openmpi'].prefix}"]
        if self.spec.satisfies("^openmpi@5:"):
            args.append(f"--with-ompi-source={self.ompi_source()}")
        args += self.with_or_without("ucx", activation_value="prefix")
        args += self.with_or_without("libfabric", activation_value="prefix")
        args += self.with_or_without("metis")
        return args

    # Sets the same variables as share/coll-irr/env.sh, which explains the order of the folders.
    def setup_run_environment(self, env: EnvironmentModifications) -> None:
        path = "OMPI_MCA_mca_base_component_path"
        env.append_path(path, "SYS_DEFAULT")
        env.append_path(path, self.prefix.lib.openmpi)
        env.append_path(path, "USER_DEFAULT")
        if self.spec.satisfies("^pmix"):
            env.prepend_path("PMIX_MCA_mca_base_component_path", self.spec["pmix"].prefix.lib.pmix)
