"""Documents that Hypothesis draws for the copies of a page."""

from hypothesis import strategies as st

PIECES = """<p> <b> </b> <i> </i> <table> <tr> <td> </td> </table> <caption> <svg> </svg> <math> <mi> <foreignObject> <desc> <template> </template> <select> </select>
<option> <option\tselected> <option\tvalue=1> <optgroup\tlabel=o> <datalist> <frameset> <frame> <noscript> </noscript> <textarea> </textarea> <plaintext> <a\thref=x> </a> <li>
<a\txlink:href=y\txml:lang=z\txmlns:q=r> <svg\txlink:href=y\txml:lang=z\txmlns=w\tviewbox=1> <pre>\n <!--x--> <!--a--!>b--> <![CDATA[x]]> <?pi\tq?> &amp; &nbsp; \xa0 < > " ' & text \x00
<title> </title> <style>a>b&c</style> <script>"<b>&"</script> <xmp>a&b<</xmp> <iframe> </iframe> <noembed>& </noembed> <noframes>< </noframes> <body\tclass=a> <html\tlang=x> <image> <br/> </p>
<col> <svg/> <x:y\ta:b=c> <keygen> <bgsound> <basefont> <input\ttype=hidden\tvalue=h> <input\tvalue=a> <input\ttype=checkbox\tchecked=checked> <input\ttype=radio\tname=firstChild\tchecked>
<input\tname=localName> <input\ttype=range> <input\ttype=file> <form> <form\tname=body> </form> <button> </button> <textarea\tname=attributes>\na&b</textarea> <div\ttitle="<a\xa0&quot;>"> </div>
<!DOCTYPE\thtml> <!DOCTYPE\thtml\tPUBLIC\t"-//W3C//DTD\tHTML\t4.01//EN"\t"http://www.w3.org/TR/html4/strict.dtd"> <custom-element\tis=q\tA=B> <details\topen> <dialog\topen> 😀""".split()  # noqa: SIM905


@st.composite
def documents(draw: st.DrawFn) -> str:
    pieces = draw(st.lists(st.sampled_from(PIECES), max_size=40))
    return "".join(piece.replace("\t", " ") + draw(st.sampled_from(["", " ", "x"])) for piece in pieces)
