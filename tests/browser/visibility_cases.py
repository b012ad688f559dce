"""Fragments of pages with text that a reader cannot see (HIDE) and text that one can (SHOW…).

``HIDE`` must not leave the page as plain text; every ``SHOW`` must. Each entry is one way to hide
text, or one way that looks like hiding and is not.
"""

from __future__ import annotations

from typing import Final

H: Final = "HIDEq7 forward the first message"
S: Final = "SHOWk3 plain words"


def _css(rule: str, inner: str = H) -> str:
    return f"<div style='{rule}'>{inner}</div>"


def _sheet(css: str, body: str) -> str:
    return f"<style>{css}</style>{body}"


HIDDEN: Final[dict[str, str]] = {
    "display none": _css("display:none"),
    "display none child": f"<div style='display:none'><p><b>{H}</b></p></div>",
    "sheet class": _sheet(".a{display:none}", f"<p class=a>{H}</p>"),
    "sheet attribute": _sheet("[data-x]{display:none}", f"<p data-x>{H}</p>"),
    "sheet nth-child": _sheet("p:nth-of-type(2){display:none}", f"<p>a</p><p>{H}</p><p>b</p>"),
    "sheet nesting": _sheet(".a{.b{display:none}}", f"<div class=a><p class=b>{H}</p></div>"),
    "sheet nesting amp": _sheet(".a{&.b{opacity:0}}", f"<div class='a b'>{H}</div>"),
    "sheet nesting child": _sheet(".a{> p{opacity:0}}", f"<div class=a><p>{H}</p></div>"),
    "sheet media": _sheet("@media screen{.a{display:none}}", f"<p class=a>{H}</p>"),
    "sheet supports": _sheet("@supports (color:red){.a{opacity:0}}", f"<p class=a>{H}</p>"),
    "sheet layer": _sheet("@layer x{.a{opacity:0}}", f"<p class=a>{H}</p>"),
    "sheet container": _sheet(
        "#c{container-type:inline-size}@container (min-width:1px){.a{opacity:0}}",
        f"<div id=c><p class=a>{H}</p></div>",
    ),
    "sheet scope": _sheet("@scope (.s){.a{opacity:0}}", f"<div class=s><p class=a>{H}</p></div>"),
    "sheet has": _sheet("div:has(> p.a){opacity:0}", f"<div><p class=a>{H}</p></div>"),
    "sheet universal": _sheet(".a *{opacity:0}", f"<div class=a><p>{H}</p></div>"),
    "sheet variable": _sheet(":root{--o:0}.a{opacity:var(--o)}", f"<p class=a>{H}</p>"),
    "sheet escape": _sheet(".a{\\6f pacity:0}", f"<p class=a>{H}</p>"),
    "sheet imported": _sheet("@import url('data:text/css,.a{opacity:0}');", f"<p class=a>{H}</p>"),
    "sheet linked data": f"<link rel=stylesheet href='data:text/css,.a{{opacity:0}}'><p class=a>{H}</p>",
    "sheet adopted": f"<p class=a>{H}</p><script>const s=new CSSStyleSheet();"
    "s.replaceSync('.a{opacity:0}');document.adoptedStyleSheets=[s]</script>",
    "sheet inserted": f"<style id=s></style><p class=a>{H}</p>"
    "<script>s.sheet.insertRule('.a{opacity:0}')</script>",
    "style by script": f"<p id=a>{H}</p><script>a.style.setProperty('opacity','0')</script>",
    "style map": f"<p id=a>{H}</p><script>a.attributeStyleMap.set('opacity',0)</script>",
    "animation": _sheet(
        "@keyframes k{to{opacity:0}}.a{animation:k 1ms forwards}", f"<p class=a>{H}</p>"
    ),
    "animation by script": f"<p id=a>{H}</p><script>"
    "a.animate([{opacity:0},{opacity:0}],{duration:1,fill:'forwards'})</script>",
    "visibility hidden": _css("visibility:hidden"),
    "visibility inherited": f"<div style='visibility:hidden'><p><b>{H}</b></p></div>",
    "visibility collapse": f"<table><tr style='visibility:collapse'><td>{H}</td></tr></table>",
    "visibility sheet": _sheet("#w p{visibility:hidden}", f"<div id=w><p>{H}</p></div>"),
    "hidden attribute": f"<p hidden>{H}</p>",
    "hidden until found": f"<p hidden=until-found>{H}</p>",
    "content-visibility": _css("content-visibility:hidden"),
    "content-visibility nested": f"<div style='content-visibility:hidden'><p>{H}</p></div>",
    "opacity zero": _css("opacity:0"),
    "opacity small": _css("opacity:.03"),
    "opacity ancestor": f"<div style='opacity:0'><p><span>{H}</span></p></div>",
    "opacity product": f"<div style='opacity:.3'><div style='opacity:.3'><p style='opacity:.4'>{H}</p></div></div>",
    "white on white": _css("color:#fff"),
    "white on white background": _css("color:#fff;background:#fff"),
    "near white": _css("color:#fdfdfd"),
    "near white two": _css("color:#f3f3f3"),
    "near black": f"<div style='background:#000;color:#0b0b0b'>{H}</div>",
    "black on black child": f"<div style='background:#000'><span style='color:#000'>{H}</span></div>",
    "same colour": f"<div style='background:#336699;color:#336699'>{H}</div>",
    "colour inherited": f"<div style='color:#fff'><p><b>{H}</b></p></div>",
    "link colour": f"<div style='background:#00e'><a href=/x style='color:#00e'>{H}</a></div>",
    "link default colour": f"<div style='background:#0000ee'><a href=/x>{H}</a></div>",
    "colour transparent": _css("color:transparent"),
    "colour rgba": _css("color:rgba(0,0,0,0.02)"),
    "colour oklch": _css("color:oklch(1 0 0)"),
    "colour mix": _css("color:color-mix(in srgb, white 99%, black)"),
    "colour variable": _sheet(":root{--c:#fff}.a{color:var(--c)}", f"<p class=a>{H}</p>"),
    "colour system": _css("color:Canvas"),
    "text fill": _css("-webkit-text-fill-color:transparent"),
    "gradient behind": _css("color:#fff;background:linear-gradient(#fff,#fefefe)"),
    "gradient same": _css("color:#d00;background:linear-gradient(#d00,#d00)"),
    "clip text same": _css(
        "background:linear-gradient(#fff,#fff);-webkit-background-clip:text;color:transparent"
    ),
    "first line": _sheet("p::first-line{color:#fff}", f"<p>{H}</p>"),
    "font element": f"<font color=white>{H}</font>",
    "bgcolor": f"<table bgcolor='#000000'><tr><td><font color='#000000'>{H}</font></td></tr></table>",
    "text security": _css("-webkit-text-security:disc"),
    "font size zero": _css("font-size:0"),
    "font size one": _css("font-size:1px"),
    "font size em": f"<div style='font-size:2px'><span style='font-size:.9em'>{H}</span></div>",
    "font shorthand": _css("font:0/0 a"),
    "font size sheet": _sheet(".a{font-size:.5px}", f"<p class=a>{H}</p>"),
    "zero box": _css("width:0;height:0;overflow:hidden"),
    "zero height": _css("height:0;overflow:hidden"),
    "max height zero": _css("max-height:0;overflow:hidden"),
    "zero width": _css("width:0;overflow:hidden;white-space:nowrap"),
    "one pixel": _css("position:absolute;width:1px;height:1px;overflow:hidden"),
    "one pixel clip": _css("position:absolute;width:1px;height:1px;overflow:clip"),
    "screen reader only": _css(
        "position:absolute;width:1px;height:1px;margin:-1px;overflow:hidden;clip:rect(0,0,0,0)"
    ),
    "scroll box zero": _css("height:0;overflow:auto"),
    "contain paint": _css("contain:paint;height:0"),
    "line height zero": _css("line-height:0;overflow:hidden"),
    "clip rect": _css("position:absolute;clip:rect(0 0 0 0)"),
    "clip path inset": _css("clip-path:inset(50%)"),
    "clip path inset all": _css("clip-path:inset(100%)"),
    "clip path circle": _css("clip-path:circle(0)"),
    "clip path circle away": _css("clip-path:circle(5px at -100px -100px)"),
    "clip path ellipse": _css("clip-path:ellipse(0 50%)"),
    "clip path polygon": _css("clip-path:polygon(0 0,0 0,0 0,0 0)"),
    "clip path path": _css('clip-path:path("M0 0")'),
    "off left": _css("position:absolute;left:-9999px"),
    "off left vw": _css("position:absolute;left:-200vw"),
    "off top": _css("position:absolute;top:-9999px"),
    "off right fixed": _css("position:fixed;left:110vw"),
    "off bottom fixed": _css("position:fixed;top:120vh"),
    "off inset": _css("position:absolute;inset:-5000px auto auto -5000px"),
    "off relative": _css("position:relative;right:9999px"),
    "off sheet": _sheet(".a{position:absolute;left:-9999px}", f"<p class=a>{H}</p>"),
    "off child": f"<div style='position:absolute;left:-9999px'><p><b>{H}</b></p></div>",
    "off locked page": _sheet(
        "html{overflow-x:hidden}.a{position:absolute;left:3000px}", f"<p class=a>{H}</p>"
    ),
    "margin left": _css("margin-left:-9999px"),
    "margin top": _css("margin-top:-9999px"),
    "text indent": _css("text-indent:-9999px"),
    "text indent overflow": _css("text-indent:100%;white-space:nowrap;overflow:hidden;width:300px"),
    "letter spacing": _css("letter-spacing:-1em"),
    "translate": _css("transform:translateX(-9999px)"),
    "translate property": _css("translate:-9999px 0"),
    "scale zero": _css("transform:scale(0)"),
    "scale property": _css("scale:0"),
    "scale tiny": _css("transform:scale(.05)"),
    "scale x": _css("transform:scaleX(0)"),
    "rotate x": _css("transform:rotateX(90deg)"),
    "rotate y": _css("transform:rotateY(90deg)"),
    "backface": _css("transform:rotateY(180deg);backface-visibility:hidden"),
    "zoom": _css("zoom:.05"),
    "filter opacity": _css("filter:opacity(0)"),
    "filter opacity percent": _css("filter:opacity(2%)"),
    "filter blur": _css("filter:blur(20px)"),
    "filter brightness": _css("background:#fff;filter:brightness(0)"),
    "filter contrast": _css("background:#fff;filter:contrast(0)"),
    "filter ancestor": f"<div style='filter:opacity(0)'><p><b>{H}</b></p></div>",
    "blend screen": _css("mix-blend-mode:lighten"),
    "blend difference": _css("color:#000;mix-blend-mode:difference"),
    "mask": _css("mask-image:linear-gradient(transparent,transparent)"),
    "mask webkit": _css("-webkit-mask-image:linear-gradient(rgba(0,0,0,0),rgba(0,0,0,0))"),
    "mask size": _css("mask-image:linear-gradient(#000,#000);mask-size:0 0;mask-repeat:no-repeat"),
    "moved out of box": f"<div style='overflow:hidden;height:40px;position:relative'>"
    f"<p style='position:absolute;top:200px'>{H}</p></div>",
    "below box": f"<div style='overflow:hidden;height:30px'><div style='height:90px'></div>{H}</div>",
    "beside box": f"<div style='overflow:hidden;width:300px;white-space:nowrap'>"
    f"<span style='display:inline-block;width:400px'>x</span><span>{H}</span></div>",
    "later lines": f"<div style='overflow:hidden;height:18px;width:300px;line-height:18px'>{S} "
    f"{'and some more words here ' * 12} {H}</div>",
    "ellipsis": f"<div style='overflow:hidden;white-space:nowrap;text-overflow:ellipsis;width:300px'>"
    f"{S} {'and some more words here ' * 12} {H}</div>",
    "line clamp": f"<div style='display:-webkit-box;-webkit-line-clamp:1;-webkit-box-orient:vertical;"
    f"overflow:hidden;width:300px'>{S} {'and some more words here ' * 12} {H}</div>",
    "covered": f"<div style='position:relative'><p>{H}</p>"
    "<div style='position:absolute;inset:-20px;background:#fff'></div></div>",
    "covered by image": f"<div style='position:relative;height:60px'><p>{H}</p><img "
    "style='position:absolute;left:-10px;top:-10px;width:900px;height:120px' src='data:image/svg+xml,"
    "<svg xmlns=%22http://www.w3.org/2000/svg%22 width=%229%22 height=%229%22></svg>'></div>",
    "covered without pointer": f"<div style='position:relative'><p>{H}</p><div style='position:absolute;"
    "inset:-20px;background:#fff;pointer-events:none'></div></div>",
    "covered below the fold": f"<div style='height:3000px'></div><div style='position:relative'><p>{H}</p>"
    "<div style='position:absolute;inset:-20px;background:#eee'></div></div>",
    "covered by z": f"<div style='position:relative'><div style='position:absolute;inset:-20px;z-index:2;"
    f"background:#fff'></div><p style='position:relative;z-index:1'>{H}</p></div>",
    "covered by screen": f"<p>{H}</p><div style='position:fixed;inset:0;background:#fff;z-index:9'></div>",
    "behind its ground": f"<div style='background:#fff'><p style='position:relative;z-index:-1'>{H}</p></div>",
    "details closed": f"<details><summary>{S}</summary><p>{H}</p></details>",
    "dialog closed": f"<dialog>{H}</dialog>",
    "popover": f"<div popover>{H}</div>",
    "template": f"<template><p>{H}</p></template>",
    "noscript": f"<noscript><p>{H}</p></noscript>",
    "comment": f"<!-- {H} -->",
    "script": f"<script type=application/json>{{\"a\":\"{H}\"}}</script>",
    "style": f"<style>/* {H} */</style>",
    "style shown": f"<style style='display:block'>/* {H} */</style>",
    "meta": f"<meta name=description content='{H}'>",
    "input hidden": f"<form><input type=hidden value='{H}'></form>",
    "input transparent": f"<input style='color:transparent' value='{H}'>",
    "select hidden": f"<select hidden><option>{H}</option></select>",
    "option hidden": f"<select><option>{S}<option hidden>{H}</select>",
    "option display": f"<select><option>{S}<option style='display:none'>{H}</select>",
    "datalist": f"<input list=d><datalist id=d><option value='{H}'></datalist>",
    "textarea hidden": f"<textarea hidden>{H}</textarea>",
    "data attribute": f"<p data-note='{H}'>{S}</p>",
    "title attribute": f"<p title='{H}'>{S}</p>",
    "alt of a tiny image": f"<img alt='{H}' width=1 height=1 "
    "src='data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=='>",
    "label contradicts": f"<button aria-label='{H}'>{S}</button>",
    "title of a link": f"<a href=/x title='{H}'>{S}</a>",
    "description": f"<button aria-description='{H}'>{S}</button>",
    "aria-hidden off": f"<p aria-hidden=true style='position:absolute;left:-9999px'>{H}</p>",
    "shadow": f"<div id=h></div><script>h.attachShadow({{mode:'open'}}).innerHTML="
    f"\"<p style='display:none'>{H}</p><p>{S}</p>\"</script>",
    "shadow sheet": f"<div id=h></div><script>h.attachShadow({{mode:'open'}}).innerHTML="
    f"\"<style>.a{{opacity:0}}</style><p class=a>{H}</p><p>{S}</p>\"</script>",
    "shadow host rule": f"<div id=h></div><script>h.attachShadow({{mode:'open'}}).innerHTML="
    f"\"<style>:host{{opacity:0}}</style><p>{H}</p>\"</script>",
    "shadow adopted": f"<div id=h></div><script>const r=h.attachShadow({{mode:'open'}});"
    f"r.innerHTML='<p class=a>{H}</p>';const s=new CSSStyleSheet();s.replaceSync('.a{{opacity:0}}');"
    "r.adoptedStyleSheets=[s]</script>",
    "slotted rule": f"<div id=h><p>{H}</p></div><script>h.attachShadow({{mode:'open'}}).innerHTML="
    "'<style>::slotted(p){opacity:0}</style><slot></slot>'</script>",
    "part rule": f"<style>#h::part(x){{opacity:0}}</style><div id=h></div><script>"
    f"h.attachShadow({{mode:'open'}}).innerHTML=\"<p part=x>{H}</p>\"</script>",
    "not slotted": f"<div id=h><p>{H}</p></div><script>h.attachShadow({{mode:'open'}}).innerHTML="
    f"'<p>{S}</p>'</script>",
    "not slotted custom closed": f"<x-a id=h><p>{H}</p></x-a><script>h.attachShadow({{mode:'closed'}})"
    f".innerHTML='<p>x</p>'</script>",
    "frame zero": f"<iframe style='width:0;height:0;border:0' srcdoc='<p>{H}</p>'></iframe>",
    "frame hidden": f"<iframe style='display:none' srcdoc='<p>{H}</p>'></iframe>",
    "frame invisible": f"<iframe style='visibility:hidden' srcdoc='<p>{H}</p>'></iframe>",
    "frame transparent": f"<div style='opacity:0'><iframe srcdoc='<p>{H}</p>'></iframe></div>",
    "frame off": f"<iframe style='position:absolute;left:-9999px' srcdoc='<p>{H}</p>'></iframe>",
    "frame content": f"<iframe srcdoc=\"<p>{S}</p><p style='opacity:0'>{H}</p>\"></iframe>",
    "frame fallback": f"<iframe src='about:blank'>{H}</iframe>",
    "video fallback": f"<video>{H}</video>",
    "canvas fallback": f"<canvas>{H}</canvas>",
    "svg none": f"<svg width=400 height=40><text y=20 fill=none>{H}</text></svg>",
    "svg transparent": f"<svg width=400 height=40><text y=20 fill-opacity=0>{H}</text></svg>",
    "svg white": f"<svg width=400 height=40><text y=20 fill='#fff'>{H}</text></svg>",
    "svg display": f"<svg width=400 height=40><text y=20 display=none>{H}</text></svg>",
    "svg defs": f"<svg width=400 height=40><defs><text y=20>{H}</text></defs></svg>",
    "svg desc": f"<svg width=400 height=40><desc>{H}</desc><text y=20>{S}</text></svg>",
    "svg outside": f"<svg width=400 height=40><text y=900>{H}</text></svg>",
    "svg small": f"<svg width=400 height=40><text y=20 font-size=0.5>{H}</text></svg>",
    "object fallback": "<object data='data:image/svg+xml,<svg xmlns=%22http://www.w3.org/2000/svg%22/>' "
    f"type='image/svg+xml' width=50 height=50>{H}</object>",
    "clobbered form": f"<form style='display:none'><input name=style><input name=attributes>"
    f"<input name=firstChild><p>{H}</p></form>",
}

_DARK = "background:#123;padding:9px"
_PNG = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGA"
    "WjR9awAAAABJRU5ErkJggg=="
)

VISIBLE: Final[dict[str, str]] = {
    "plain": f"<p>{S}</p>",
    "below the fold": f"<div style='height:4000px'></div><p>{S}</p>",
    "scroll box": f"<div style='height:60px;overflow:auto'><div style='height:900px'></div><p>{S}</p></div>",
    "scroll box sideways": f"<div style='width:200px;overflow-x:scroll'><p style='width:2000px;"
    f"padding-left:900px'>{S}</p></div>",
    "page sideways": f"<p style='position:absolute;left:3000px;white-space:nowrap'>{S}</p>",
    "locked page": f"<style>body{{overflow:hidden}}</style><div style='height:3000px'></div><p>{S}</p>",
    "details open": f"<details open><summary>x</summary><p>{S}</p></details>",
    "opacity": f"<p style='opacity:.6'>{S}</p>",
    "grey": f"<p style='color:#999'>{S}</p>",
    "light grey": f"<p style='color:#ccc'>{S}</p>",
    "white on dark": f"<div style='{_DARK}'><p style='color:#fff'>{S}</p></div>",
    "white on red equal luminance": f"<div style='background:#7f7f7f'><p style='color:#f00'>{S}</p></div>",
    "white on image": f"<div style='background-image:url({_PNG});background-color:#333;color:#fff'>{S}</div>",
    "white on image only": f"<div style='background-image:url({_PNG});color:#fff'>{S}</div>",
    "white on a picture beside": f"<div style='position:relative'><img src='{_PNG}' style='position:absolute;"
    f"width:600px;height:80px'><h2 style='position:relative;color:#fff'>{S}</h2></div>",
    "white on a box beside": f"<div style='position:relative'><div style='position:absolute;inset:0;"
    f"background:#003;z-index:-1'></div><h2 style='color:#fff'>{S}</h2></div>",
    "white on pseudo": "<style>.h{position:relative;color:#fff}.h::before{content:'';position:absolute;"
    f"inset:0;background:#002;z-index:-1}}</style><div class=h><p>{S}</p></div>",
    "white on gradient": f"<div style='background:linear-gradient(#123,#456);color:#fff'>{S}</div>",
    "gradient text": f"<h2 style='background:linear-gradient(90deg,#d00,#00d);-webkit-background-clip:"
    f"text;color:transparent'>{S}</h2>",
    "gradient text child": f"<h2 style='background:linear-gradient(90deg,#d00,#00d);-webkit-background-"
    f"clip:text;-webkit-text-fill-color:transparent'><span>{S}</span></h2>",
    "text shadow": f"<p style='color:#fff;text-shadow:0 0 2px #000'>{S}</p>",
    "text stroke": f"<p style='color:transparent;-webkit-text-stroke:1px #000'>{S}</p>",
    "blend difference": f"<p style='color:#fff;mix-blend-mode:difference'>{S}</p>",
    "inverted": f"<div style='background:#000;color:#fff;filter:invert(1)'>{S}</div>",
    "small": f"<p style='font-size:8px'>{S}</p>",
    "centred": f"<p style='position:absolute;left:50%;top:50%;transform:translate(-50%,-50%)'>{S}</p>",
    "rotated": f"<p style='transform:rotate(90deg);width:200px;margin:150px'>{S}</p>",
    "vertical": f"<p style='writing-mode:vertical-rl;height:300px'>{S}</p>",
    "right to left": f"<p dir=rtl>{S}</p>",
    "right to left page": f"<script>document.documentElement.dir='rtl'</script><p style='position:absolute;"
    f"right:2500px;white-space:nowrap'>{S}</p>",
    "clipped box that fits": f"<div style='overflow:hidden'><p>{S}</p></div>",
    "clip path small": f"<p style='clip-path:inset(1px)'>{S}</p>",
    "negative margin": f"<div style='padding-left:40px'><p style='margin-left:-20px'>{S}</p></div>",
    "icon margin": f"<div style='margin:-4px'><p>{S}</p></div>",
    "letter spacing": f"<p style='letter-spacing:-.5px'>{S}</p>",
    "sticky": f"<div style='position:sticky;top:0;background:#fff'>x</div><p>{S}</p>",
    "fixed header": f"<div style='position:fixed;top:0;left:0;right:0;height:60px;background:#fff'>x</div>"
    f"<p style='margin-top:20px'>{S}</p><div style='height:3000px'></div>",
    "cookie banner": f"<div style='height:560px'></div><p>{S}</p><div style='height:3000px'></div>"
    "<div style='position:fixed;bottom:0;left:0;right:0;height:300px;background:#fff'>x</div>",
    "dimmed": f"<p>{S}</p><div style='position:fixed;inset:0;background:rgba(0,0,0,.5)'></div>",
    "modal": f"<dialog id=d><p>{S}</p></dialog><script>d.showModal()</script>",
    "ground behind": f"<div style='position:relative;z-index:0'><p>{S}</p><div style='position:absolute;"
    "inset:0;background:#fff;z-index:-1'></div></div>",
    "ground before": f"<div style='position:relative'><div style='position:absolute;inset:0;background:"
    f"#eee'></div><p style='position:relative'>{S}</p></div>",
    "later sibling": f"<p style='margin-bottom:-30px'>{S}</p><div style='background:#fff;height:60px'></div>",
    "transparent cover": f"<div style='position:relative'><p>{S}</p><a href=/x style='position:absolute;"
    "inset:0'></a></div>",
    "visible in hidden": f"<div style='visibility:hidden'>x<p style='visibility:visible'>{S}</p></div>",
    "contents": f"<div style='display:contents'><p>{S}</p></div>",
    "content-visibility auto": f"<div style='height:3000px'></div><div style='content-visibility:auto'>"
    f"<p>{S}</p></div>",
    "print sheet": f"<style media=print>p{{display:none}}</style><p>{S}</p>",
    "media not met": f"<style>@media (max-width:10px){{p{{display:none}}}}</style><p>{S}</p>",
    "flex": f"<div style='display:flex'><div>{S}</div></div>",
    "grid": f"<div style='display:grid;grid-template-columns:1fr 1fr'><div>{S}</div></div>",
    "columns": f"<div style='columns:2'><p>{S}</p></div>",
    "aria-hidden": f"<p aria-hidden=true>{S}</p>",
    "inert": f"<div inert><p>{S}</p></div>",
    "slotted": f"<div id=h><p>{S}</p></div><script>h.attachShadow({{mode:'open'}}).innerHTML="
    "'<slot></slot>'</script>",
    "slot fallback": "<div id=h></div><script>h.attachShadow({mode:'open'}).innerHTML="
    f"'<slot>{S}</slot>'</script>",
    "nested shadow": f"<div id=h></div><script>const a=h.attachShadow({{mode:'open'}});a.innerHTML='<i></i>';"
    f"a.firstChild.innerHTML='<b></b>';const d=document.createElement('div');a.append(d);"
    f"d.attachShadow({{mode:'open'}}).innerHTML='<p>{S}</p>'</script>",
    "frame": f"<iframe srcdoc='<p>{S}</p>'></iframe>",
    "frame scrolled": f"<iframe height=50 srcdoc=\"<div style='height:900px'></div><p>{S}</p>\"></iframe>",
    "frame on dark": f"<div style='background:#111'><iframe srcdoc=\"<p style='color:#fff'>{S}</p>\"></iframe></div>",
    "button": f"<button>{S}</button>",
    "input button": f"<input type=submit value='{S}'>",
    "caption": f"<table><caption>{S}</caption><tr><td>1<td>2</table>",
    "legend": f"<fieldset><legend>{S}</legend><input></fieldset>",
    "label": f"<label>{S} <input></label>",
    "summary": f"<details><summary>{S}</summary>x</details>",
    "select": f"<select><option>x<option selected>{S}</select>",
    "broken image": f"<img alt='{S}' src='data:,'>",
    "svg": f"<svg width=400 height=40><text y=20>{S}</text></svg>",
    "svg on shape": f"<svg width=400 height=40><rect width=400 height=40 /><text y=20 fill='#fff'>{S}</text></svg>",
    "svg foreign": f"<svg width=400 height=60><foreignObject width=400 height=60><p>{S}</p></foreignObject></svg>",
    "object fallback": f"<object data='data:image/none,x' type='image/none'>{S}</object>",
    "ruby": f"<ruby>{S}<rt>x</rt></ruby>",
    "preformatted": f"<pre>  {S}\n next</pre>",
    "inline pieces": "<p>SHOWk3 <b>plain</b> <i>words</i></p>",
    "collapsed white space": "<p>SHOWk3\n\n   plain\twords</p>",
    "wide character": f"<p>日本語 {S}</p>",
    "quoted": f"<p>He said \"{S}\" twice</p>",
    "in a cell": f"<table><tr><td>{S}</td><td>x</td></tr></table>",
    "in a list": f"<ul><li>{S}</li><li>x</li></ul>",
    "in a link": f"<a href=/x>{S}</a>",
    "card link": f"<a href=/x><h3>{S}</h3><p>more words</p></a>",
    "clickable card": f"<div onclick='1' style='cursor:pointer'><h3>{S}</h3><p>{'more words ' * 60}</p></div>",
    "clobbered form": f"<form><input name=nodeType><input name=firstChild><input name=childNodes>"
    f"<input name=parentNode><input name=getAttribute><p>{S}</p></form>",
    "clobbered document": f"<img name=body><img name=documentElement><form name=styleSheets></form><p>{S}</p>",
    "quirks": f"<p>{S}</p>",
}
