"""500 atoms, 500 steps on OpenMM's platform OpenCL."""
import random

import openmm
from openmm import unit

random.seed(1)
system = openmm.System()
force = openmm.NonbondedForce()
force.setNonbondedMethod(openmm.NonbondedForce.CutoffPeriodic)
force.setCutoffDistance(0.8)
positions = []
for i in range(500):
    system.addParticle(39.9)
    force.addParticle(0.0, 0.34, 0.99)
    positions.append(openmm.Vec3(*(0.4 * (i // 8 ** k % 8) + 0.01 * random.random() for k in range(3))))
system.addForce(force)
system.setDefaultPeriodicBoxVectors((3.3, 0, 0), (0, 3.3, 0), (0, 0, 3.3))
integrator = openmm.LangevinMiddleIntegrator(120 * unit.kelvin, 1 / unit.picosecond, 0.002 * unit.picoseconds)
context = openmm.Context(system, integrator, openmm.Platform.getPlatformByName("OpenCL"))
context.setPositions(positions)
integrator.step(500)
print(context.getState(getEnergy=True).getPotentialEnergy())
