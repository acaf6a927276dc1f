"""How pytest runs under mpivet. See pytest_plugin.py."""
