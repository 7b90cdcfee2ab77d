"""Types of values that may be proxies."""


def is_of_type(value: object, cls: type) -> bool:
    """Return whether a value's own type is a class or derives from it.

    `isinstance` also asks the value for its class. Proxies such as `flask.request`, which a user's module may import,
    answer that outside a request with an error.
    """
    return issubclass(type(value), cls)
