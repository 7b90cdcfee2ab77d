"""Boxes and the elements that they belong to."""

from stressweb.sources.boxes import Boxes, aligned


def test_elements_that_only_one_parser_sees_do_not_shift_the_others() -> None:
    html = "<html><head></head><body><p>a</p><i>b</i></body></html>"
    boxes = [(0, 0, float(n), 1) for n in range(6)]
    assert aligned(html, ["html", "head", "body", "p", "u", "i"], boxes) == (*boxes[:4], boxes[5])
    assert aligned(html, ["html", "head", "body", "i"], boxes[:4]) == (*boxes[:3], None, boxes[3])


def test_a_model_is_shown_the_boxes_of_what_is_rendered() -> None:
    assert (
        Boxes().render([(0.0, 0.0, 1280.0, 800.0), None, (8.0, 8.5, 20.0, 10.0)]) == "0: 0 0 1280 800\n2: 8 8.5 20 10"
    )
