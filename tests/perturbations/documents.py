"""Documents of all kinds, and the DOM that a browser builds from one."""

import re
import sysconfig
from functools import cache
from pathlib import Path

from playwright.sync_api import Page

from stressweb.core import draws

PIECES = (
    "<!doctype html>", "<!DOCTYPE html PUBLIC '-//W3C//DTD HTML 4.01 Transitional//EN'>", "<!doctype>", "<html>",
    "<html lang=x>", '<HTML a=">">', "<html/>", "<head>", "<hEaD b='>'>", "<head/>", "</head>", "<body>", "<body class=a>",
    "</body>", "</html>", "<!-- c -->", "<!---->", "<!-->", "<?pi?>", "<![CDATA[x]]>", "</p>", "</br>", "</div>", "</>",
    "<p>", "<b>", "<a href=x>", "<table>", "<tr>", "<td>", "<form>", "<svg>", "<math>", "<template>", "</template>",
    "<template shadowrootmode=open>", "<select>", "<option>", "<frameset>", "<frame>", "</frameset>", "<noscript>",
    "</noscript>", "<textarea>", "<plaintext>", "<title>t</title>", "<style>s</style>",
    "<script>document.write('<i>w</i>')</script>", "<script>document.title = document.scripts.length</script>",
    "<meta name=x>", "<meta charset=latin1>", "<link rel=x>", "<base href=y>", "<image>", "<header>", "<dialog>",
    "<noframes>", "<li>", "<br>", "<input type=hidden>", "<x-y>", " ", "\n", "\t", "\r\n", "\f", "text", "\u00e9",
    "&#32;", "&nbsp;", "&amp;", "&#10;", "&Tab;", "&#0;", "<", "</", "<!", "\0", "\ufeff",
)  # fmt: skip
"""Valid and invalid pieces of documents, to be concatenated."""

DOM = """() => {
  const out = (node) => {
    const inside = [...node.childNodes, ...(node.content?.childNodes ?? []), ...(node.shadowRoot?.childNodes ?? [])].map(out);
    const names = [...(node.attributes ?? [])].map((attribute) => [attribute.namespaceURI, attribute.name, attribute.value]);
    return [node.nodeType, node.namespaceURI, node.nodeName, node.nodeValue, node.publicId, node.systemId, names, inside];
  };
  return JSON.stringify([document.compatMode, document.characterSet, document.contentType, out(document)]);
}"""


def dom(page: Page) -> str:
    """Return every node of the document with its properties, and the document's mode, charset and content type."""
    tree: str = page.evaluate(DOM)
    return tree


@cache
def installed() -> list[tuple[str, str]]:
    """Return name and text of every HTML file of the installed packages."""
    packages = Path(sysconfig.get_path("purelib"))
    files = sorted(path for path in packages.rglob("*.htm*") if path.suffix in (".html", ".htm"))
    return [(str(path.relative_to(packages)), path.read_text(errors="replace")) for path in files]


def mutated(html: str, *key: str | int) -> str:
    """Return a document with a piece in the place of some of its first characters, or of those at a tag."""
    early = draws.unit("early", *key) < 0.7
    tags = [tag.start() for tag in re.finditer("<", html)]
    start = (
        draws.pick(range(min(600, len(html)) + 1), "at", *key) if early or not tags else draws.pick(tags, "at", *key)
    )
    end = start + draws.pick(range(41), "length", *key)
    return html[:start] + draws.pick(PIECES, "piece", *key) + html[end:]


PLACES = {
    "head": "<!doctype html><html lang=en><head>|\n<meta charset=utf-8><title>x</title></head><body>y",
    "head alone": "<head>|<script>1</script>",
    "attributes": "<HTML a='>' b=\">\" c = '\n>' d=e/f> <HEAD x/y=\">\">|<base>",
    "a quote in a name": '<html "><head>|',
    "equals first": "<html =a => <head>|<p>",
    "no head": "<!doctype html>\n<html>\n  <!-- c -->\n|<body class=x> <p>",
    "no head, title first": "<!doctype html>\n|<title>x</title>",
    "comments before html": "<!-- <head> --><!doctype html><!--x-->\n<html><!--y--> <head>|",
    "short comments": "<!--><!---><!----><!-- --!><!-- > -- ->--><head>|",
    "other declarations": "<?xml version='1.0'?><!ELEMENT x><![CDATA[y]]></ z><head>|",
    "end tags that are ignored": "</p a='>'></div></>\n<!--x-->|<b>",
    "end tags that act": "<html></p>|</head>x",
    "text first": "\n\n|text",
    "a lone less-than": "|< html><head>",
    "frameset": "<html>|<frameset cols=*,*><frame></frameset>",
    "a longer name": "|<header><head>",
    "only comments": "<!-- x --> \n|",
    "references to white space": "<html>&#32;&#x0A &Tab;&#009\n<!-- -->|&#97;",
    "other references": "|&nbsp;<head>",
    "a reference that is no space": "\n|&#320;",
    "two html tags": "<html a=b><html c=d><head>|",
    "template": "<!doctype html>|<template><p></template>",
    "svg": "|<svg><title>x</title></svg>",
    "plaintext": "|<plaintext><head>",
    "nul": "<html>\0<!-- c -->\0|<meta charset=utf-8>\0<head>",
}


NASTY = [
    *(marked.replace("|", "") for marked in PLACES.values()),
    "<!-- a -->\n<!doctype html>\n<!-- b -->\n<html>\n<!-- c -->\n<head>\n<title>t</title>\n</head>\n<!-- d -->\n<body>x",
    "<html>\n\n<!-- c -->\n\n<body>\n\nx\n",
    "<p>quirks</p><table><p>x",
    "<!doctype html public '-//W3C//DTD HTML 4.01 Transitional//EN'><p>almost",
    "x<html lang=en><head><title>late</title><body class=b>",
    "</p><!-- in the document --><p>y",
    "</p>\n<!doctype html><p>quirks all the same",
    "</body><!-- behind --><p>z",
    "</br>x",
    "<html><body><frameset>",
    " <frameset><frame><noframes><p></noframes></frameset> x",
    "<noscript><p>n</noscript><p>x",
    "<script>document.write('<b>w</b>')</script>x",
    "<html><head\n\n>\n <script>document.title = document.head.childNodes.length</script>",
    "<style>p{}</style> <p>x",
    "<link rel=x><meta name=y> text",
    "<math><mi>x</math>",
    "<textarea>\n<head>",
    "<select><head><option>",
    "\ufeff<!doctype html><p>x",
    "<!doctype html>\n" + "<!-- " + "long " * 400 + "-->\n<p>x",
    "<!doctype html><html><head>" + "<meta name=x content=y>" * 80 + "<meta charset=iso-8859-2><p>\xe8",
    "<a><head><b>",
    "<image>",
    "<!doctype html>&nbsp;<p>",
    "<!doctype html>&#32;<p>",
    "<html><",
    "<html></",
]
