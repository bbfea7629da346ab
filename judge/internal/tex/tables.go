package tex

import "strings"

// fonts are commands whose argument stands between marks.
var fonts = map[string]string{
	"textbf": "**", "emph": "*", "textit": "*", "texttt": "`", "t": "`", "textsl": "*", "underline": "", "textsc": "",
	"text": "", "mbox": "", "textrm": "", "textsf": "", "textnormal": "", "hbox": "", "makebox": "", "fbox": "",
	"centerline": "", "uline": "", "sout": "<s>", "st": "<s>", "xout": "<s>", "cancel": "<s>", "textsuperscript": "<sup>",
	"textsubscript": "<sub>", "framebox": "", "leftline": "", "rightline": "", "uwave": "", "textup": "", "textmd": "", "textlf": "", "hl": "",
	"enquote": "", "nolinkurl": "`", "path": "`", "texorpdfstring": "",
}

// switches are commands that change the font of the rest of a group, or of the argument that
// some write behind them.
var switches = map[string]string{
	"bf": "**", "bfseries": "**", "it": "*", "itshape": "*", "em": "*", "sl": "*", "slshape": "*", "tt": "`", "ttfamily": "`", "sc": "", "scshape": "",
	"rm": "", "rmfamily": "", "sf": "", "sffamily": "", "normalfont": "", "upshape": "", "mdseries": "", "tiny": "", "scriptsize": "", "footnotesize": "",
	"small": "", "normalsize": "", "large": "", "Large": "", "LARGE": "", "huge": "", "Huge": "", "centering": "", "raggedright": "", "raggedleft": "",
}

// bare are commands without options: a bracket behind them is text.
var bare = map[string]bool{
	"noindent": true, "indent": true, "hfill": true, "vfill": true, "smallskip": true, "medskip": true, "bigskip": true, "relax": true, "newpage": true,
	"clearpage": true, "leavevmode": true, "strut": true, "null": true, "protect": true, "unskip": true, "ignorespaces": true, "maketitle": true,
}

// conditions begin what ends with \fi.
var conditions = map[string]bool{
	"iftrue": true, "iffalse": true, "if": true, "ifx": true, "ifnum": true, "ifdim": true, "ifodd": true, "ifcase": true, "ifcat": true, "ifmmode": true,
	"ifdefined": true, "ifundefined": true, "ifpdf": true, "ifcsname": true, "ifhmode": true, "ifvmode": true, "ifinner": true, "ifxetex": true,
	"ifluatex": true, "ifPDFTeX": true, "ifeof": true, "ifvoid": true,
}

// symbols are commands that stand for characters.
var symbols = map[string]string{
	"%": "%", "$": `\$`, "&": "&", "#": `\#`, "_": `\_`, "{": "{", "}": "}", " ": " ", ",": " ", ";": " ", ":": " ", "!": "", "/": "",
	"-": "", "@": "", "\n": " ", "|": "|", "ldots": "...", "dots": "...", "textellipsis": "...", "textbackslash": `\\`, "textasciitilde": `\~`,
	"textasciicircum": "^", "textless": `\<`, "textgreater": ">", "textbar": "|", "textunderscore": `\_`, "textquotedblleft": "“",
	"textquotedblright": "”", "textquotesingle": "'", "textendash": "–", "textemdash": "—", "textdegree": "°", "degree": "°",
	"euro": "€", "pounds": "£", "S": "§", "copyright": "©", "ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø",
	"aa": "å", "AA": "Å", "l": "ł", "L": "Ł", "i": "ı", "j": "ȷ", "quad": " ", "qquad": "  ", "LaTeX": "LaTeX", "TeX": "TeX", "guillemotleft": "«",
	"guillemotright": "»", "newline": "\\\n", "linebreak": "\\\n", "par": "\n\n", "slash": "/", "textdollar": `\$`, "textasteriskcentered": `\*`,
	"texttrademark": "™", "textregistered": "®", "textcopyright": "©", "textbullet": "•", "textquoteleft": "‘", "textquoteright": "’",
	"textperiodcentered": "·", "textmu": "µ", "textohm": "Ω", "texttimes": "×", "textpm": "±", "thinspace": " ", "enspace": " ", "space": " ",
	"textvisiblespace": "␣", "textbraceleft": "{", "textbraceright": "}", "textparagraph": "¶", "textsection": "§", "today": "", "xspace": "",
	"quotedblbase": "„", "quotesinglbase": "‚", "glqq": "„", "grqq": "“", "flqq": "«", "frqq": "»", "textrightarrow": "→", "textleftarrow": "←",
	"No": "№", "textnumero": "№", "cdash": "—", "BibTeX": "BibTeX",
}

// commands makes the table of commands that need more than a mark. It is no
// variable, as it refers to functions that refer to it.
func commands() map[string]act {
	skip := func(n int) act { // drops arguments
		return func(r *reader, s string, i, depth int) int {
			_, i, _ = option(s, i)
			for range n {
				_, i = argument(s, i)
			}
			return i
		}
	}
	heading := func(level int) act {
		return func(r *reader, s string, i, depth int) int {
			_, i, _ = option(s, i)
			body, end := argument(s, i)
			r.write("\n\n" + strings.Repeat("#", level) + " " + strings.Join(strings.Fields(r.inner(body, depth)), " ") + "\n\n")
			return end
		}
	}
	read := func(n int) act { // drops arguments, and reads the next one
		return func(r *reader, s string, i, depth int) int {
			i = skip(n)(r, s, i, depth)
			for found := true; found; {
				_, i, found = option(s, i)
			}
			body, end := argument(s, i)
			r.text(body, depth+1)
			return end
		}
	}
	all := map[string]act{
		"problemname": heading(1), "section": heading(2), "subsection": heading(3), "subsubsection": heading(4), "paragraph": heading(4),
		"begin": (*reader).environment, "end": skip(1), "item": (*reader).item,
		"\\": (*reader).lineBreak, "tabularnewline": (*reader).lineBreak, "hline": skip(0), "cline": skip(1), "toprule": skip(0), "midrule": skip(0), "bottomrule": skip(0),
		"cmidrule": (*reader).rule, "rowcolor": skip(1), "cellcolor": skip(1), "columncolor": skip(1), "hhline": skip(1), "addlinespace": skip(0), "rowcolors": skip(3),
		"multicolumn": (*reader).multicolumn, "multirow": (*reader).multirow,
		"(": (*reader).parenMath, "[": (*reader).bracketMath,
		"url": (*reader).url, "href": (*reader).href, "includegraphics": (*reader).image, "includesvg": (*reader).image, "illustration": (*reader).illustration,
		"caption": (*reader).captionBelow, "subcaption": (*reader).captionBelow, "captionof": (*reader).captionOf, "subfloat": (*reader).subfloat,
		"subfigure": (*reader).subfloat, "subcaptionbox": (*reader).captionBox, "graphicspath": (*reader).graphicsPath, "tikz": (*reader).tikz,
		"footnote": (*reader).footnote, "epigraph": (*reader).epigraph, "verb": (*reader).verb, "lstinline": (*reader).verb, "mintinline": (*reader).mintinline, "footnotetext": (*reader).footnote,
		"nextsample": mark("\n\n{{nextsample}}\n\n"), "remainingsamples": mark("\n\n{{remainingsamples}}\n\n"), "constant": (*reader).constant,
		"newcommand": (*reader).define, "renewcommand": (*reader).define, "providecommand": (*reader).define, "def": (*reader).plainDefine,
		"newcommandx": (*reader).define, "DeclareRobustCommand": (*reader).define, "edef": (*reader).plainDefine, "gdef": (*reader).plainDefine,
		"xdef": (*reader).plainDefine, "let": (*reader).let, "newenvironment": (*reader).defineEnvironment, "renewenvironment": (*reader).defineEnvironment,
		"newtheorem": (*reader).theorem, "DeclarePairedDelimiter": (*reader).delimiters, "DeclareMathOperator": (*reader).operator,
		"input": (*reader).input, "include": (*reader).input, "subfile": (*reader).input, "import": (*reader).imported, "subimport": (*reader).imported,
		"lstinputlisting": (*reader).listing, "verbatiminput": (*reader).listing, "VerbatimInput": (*reader).listing,
		"label": skip(1), "vspace": skip(1), "hspace": skip(1), "usepackage": skip(1), "documentclass": skip(1),
		"setlength": skip(2), "addtolength": skip(2), "ref": skip(1), "cite": skip(1), "pagestyle": skip(1), "thispagestyle": skip(1), "color": skip(1),
		"textcolor": skip(1), "rule": skip(2), "sampleinputname": skip(0), "lstset": skip(1), "bibliographystyle": skip(1), "captionsetup": skip(1),
		"scalebox": skip(1), "resizebox": skip(2), "raisebox": skip(1), "fontsize": skip(2), "plainproblemname": skip(1), "rotatebox": skip(1),
		"definecolor": skip(3), "colorlet": skip(2), "usetikzlibrary": skip(1), "tikzset": skip(1), "pgfplotsset": skip(1), "RequirePackage": skip(1),
		"newcolumntype": (*reader).columnType, "newcounter": skip(1), "setcounter": skip(2), "addtocounter": skip(2), "stepcounter": skip(1),
		"refstepcounter": skip(1), "newlength": skip(1), "newsavebox": skip(1), "sbox": skip(2), "usebox": skip(1), "lstdefinestyle": skip(2),
		"lstdefinelanguage": skip(2), "DeclareGraphicsExtensions": skip(1), "DeclareGraphicsRule": skip(4), "theoremstyle": skip(1), "selectlanguage": skip(1),
		"pageref": skip(1), "eqref": skip(1), "autoref": skip(1), "cref": skip(1), "Cref": skip(1), "nameref": skip(1), "hypertarget": skip(1),
		"bibliography": skip(1), "bibitem": skip(1), "hyphenation": skip(1), "geometry": skip(1), "hypersetup": skip(1), "sisetup": skip(1), "setlist": skip(1),
		"numberwithin": skip(2), "pagenumbering": skip(1), "title": skip(1), "author": skip(1), "date": skip(1), "addcontentsline": skip(3), "phantom": skip(1),
		"hphantom": skip(1), "vphantom": skip(1), "settowidth": skip(2), "settoheight": skip(2), "renewcommandx": (*reader).define, "index": skip(1),
		"arraystretch": skip(0), "footnotemark": skip(0), "pagebreak": skip(0), "nopagebreak": skip(0), "nolinebreak": skip(0),
		"colorbox": read(1), "fcolorbox": read(2), "parbox": read(1), "hyperlink": read(1), "hyperref": read(0),
		"adjustbox": read(1), "foreignlanguage": read(1), "savebox": skip(2), "makecell": read(0), "shortstack": read(0), "ensuremath": (*reader).ensure,
		"sampleoutputname": skip(0),
	}
	for _, word := range []string{"SI", "qty", "num", "si", "unit"} {
		all[word] = siunitx(word)
	}
	for word := range conditions {
		all[word] = (*reader).branch
	}
	for word, title := range olympSections {
		all[word] = section(title)
	}
	for word, do := range map[string]act{
		"Example": (*reader).examplesHere, "Examples": (*reader).examplesHere, "exmp": (*reader).exmp, "exmpfile": (*reader).exmpFile,
	} {
		all[word] = do
	}
	return all
}
