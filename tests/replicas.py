"""Stores of several processes: whether they are equal."""


def equal(*stores):
    """Whether stores have the same counts, once each is at the head of the others."""
    head = max(store.position for store in stores)
    assert all(store.wait(head, 10) for store in stores)
    assert {store.position for store in stores} == {head}
    return len({model_bytes(store) for store in stores}) == 1


def model_bytes(store):
    """The file of the model that a store predicts with; none where nothing is learned."""
    with store.view() as view:
        return view.model.to_bytes() if view.model.__sklearn_is_fitted__() else b""
