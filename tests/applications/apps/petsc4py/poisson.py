"""Solves the Poisson equation on a grid that PETSc distributes."""

import petsc4py

petsc4py.init(["-ksp_rtol", "1e-8"])
from petsc4py import PETSc

grid = PETSc.DMDA().create([200, 200], stencil_width=1)
matrix = grid.createMatrix()
(first_x, last_x), (first_y, last_y) = grid.getRanges()
row, column = PETSc.Mat.Stencil(), PETSc.Mat.Stencil()
for j in range(first_y, last_y):
    for i in range(first_x, last_x):
        row.index = (i, j)
        for (x, y), value in (((i, j), 4.0), ((i - 1, j), -1.0), ((i + 1, j), -1.0), ((i, j - 1), -1.0), ((i, j + 1), -1.0)):
            if 0 <= x < 200 and 0 <= y < 200:
                column.index = (x, y)
                matrix.setValueStencil(row, column, value)
matrix.assemble()
solution, right = grid.createGlobalVector(), grid.createGlobalVector()
right.set(1.0)
solver = PETSc.KSP().create()
solver.setOperators(matrix)
solver.setType("cg")
solver.setFromOptions()
solver.solve(right, solution)
norm = solution.norm()
if PETSc.COMM_WORLD.getRank() == 0:
    print(f"{solver.getIterationNumber()} iterations, norm {norm:.6f}")
