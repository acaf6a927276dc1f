"""Poisson's equation on a unit square, with the boundary at zero."""

import numpy
import ufl
from dolfinx import fem, mesh
from mpi4py import MPI
from petsc4py import PETSc

domain = mesh.create_unit_square(MPI.COMM_WORLD, 32, 32)
space = fem.FunctionSpace(domain, ("CG", 1))
facets = mesh.locate_entities_boundary(domain, 1, lambda x: numpy.isclose(x[0], 0) | numpy.isclose(x[0], 1))
boundary = fem.dirichletbc(PETSc.ScalarType(0), fem.locate_dofs_topological(space, 1, facets), space)
u, v = ufl.TrialFunction(space), ufl.TestFunction(space)
x = ufl.SpatialCoordinate(domain)
problem = fem.petsc.LinearProblem(
    ufl.inner(ufl.grad(u), ufl.grad(v)) * ufl.dx,
    ufl.inner(ufl.sin(3 * x[0]) * x[1], v) * ufl.dx,
    bcs=[boundary],
    petsc_options={"ksp_type": "cg", "pc_type": "bjacobi"},
)
solution = problem.solve()
norm = domain.comm.allreduce(fem.assemble_scalar(fem.form(solution**2 * ufl.dx)))
if domain.comm.rank == 0:
    print(f"norm {norm:.6e}")
