"""A walker that uses a site as a browser would, without one."""
