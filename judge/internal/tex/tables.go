package tex

import "strings"

// fonts maps the commands that change the font of their argument to Markdown marks.
var fonts = map[string]string{
	"textbf": "**", "emph": "*", "textit": "*", "texttt": "`", "t": "`", "textsl": "*", "underline": "", "textsc": "",
	"text": "", "mbox": "", "textrm": "", "textsf": "", "textnormal": "", "hbox": "", "makebox": "", "fbox": "",
	"centerline": "", "uline": "", "sout": "<s>", "st": "<s>", "xout": "<s>", "cancel": "<s>", "textsuperscript": "<sup>",
	"textsubscript": "<sub>", "framebox": "", "leftline": "", "rightline": "", "uwave": "", "textup": "",
	"textmd": "", "textlf": "", "hl": "",
	"enquote": "", "nolinkurl": "`", "path": "`", "texorpdfstring": "",
}

// switches maps the commands that change the font of the rest of a group to Markdown marks. Some statements write
// an argument after such a command.
var switches = map[string]string{
	"bf": "**", "bfseries": "**", "it": "*", "itshape": "*", "em": "*", "sl": "*", "slshape": "*", "tt": "`",
	"ttfamily": "`", "sc": "", "scshape": "",
	"rm": "", "rmfamily": "", "sf": "", "sffamily": "", "normalfont": "", "upshape": "", "mdseries": "",
	"tiny": "", "scriptsize": "", "footnotesize": "",
	"small": "", "normalsize": "", "large": "", "Large": "", "LARGE": "", "huge": "", "Huge": "", "centering": "",
	"raggedright": "", "raggedleft": "",
}

// bare contains the commands without options. A bracket after such a command is text.
var bare = map[string]bool{
	"noindent": true, "indent": true, "hfill": true, "vfill": true, "smallskip": true, "medskip": true,
	"bigskip": true, "relax": true, "newpage": true,
	"clearpage": true, "leavevmode": true, "strut": true, "null": true, "protect": true, "unskip": true,
	"ignorespaces": true, "maketitle": true,
}

// conditions contains the commands that begin a conditional, which ends with \fi.
var conditions = map[string]bool{
	"iftrue": true, "iffalse": true, "if": true, "ifx": true, "ifnum": true, "ifdim": true, "ifodd": true,
	"ifcase": true, "ifcat": true, "ifmmode": true,
	"ifdefined": true, "ifundefined": true, "ifpdf": true, "ifcsname": true, "ifhmode": true, "ifvmode": true,
	"ifinner": true, "ifxetex": true,
	"ifluatex": true, "ifPDFTeX": true, "ifeof": true, "ifvoid": true,
}

// symbols maps commands to the characters that they represent.
var symbols = map[string]string{
	"%": "%", "$": `\$`, "&": "&", "#": `\#`, "_": `\_`, "{": "{", "}": "}", " ": " ", ",": " ", ";": " ",
	":": " ", "!": "", "/": "",
	"-": "", "@": "", "\n": " ", "|": "|", "ldots": "...", "dots": "...", "textellipsis": "...",
	"textbackslash": `\\`, "textasciitilde": `\~`,
	"textasciicircum": "^", "textless": `\<`, "textgreater": ">", "textbar": "|", "textunderscore": `\_`, "textquotedblleft": "“",
	"textquotedblright": "”", "textquotesingle": "'", "textendash": "–", "textemdash": "—", "textdegree": "°", "degree": "°",
	"euro": "€", "pounds": "£", "S": "§", "copyright": "©", "ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ",
	"o": "ø", "O": "Ø",
	"aa": "å", "AA": "Å", "l": "ł", "L": "Ł", "i": "ı", "j": "ȷ", "quad": " ", "qquad": "  ", "LaTeX": "LaTeX",
	"TeX": "TeX", "guillemotleft": "«",
	"guillemotright": "»", "newline": breakMark + "\n", "linebreak": breakMark + "\n", "par": "\n\n", "slash": "/", "textdollar": `\$`,
	"textasteriskcentered": `\*`,
	"texttrademark":        "™", "textregistered": "®", "textcopyright": "©", "textbullet": "•", "textquoteleft": "‘",
	"textquoteright":     "’",
	"textperiodcentered": "·", "textmu": "µ", "textohm": "Ω", "texttimes": "×", "textpm": "±", "thinspace": " ",
	"enspace": " ", "space": " ",
	"textvisiblespace": "␣", "textbraceleft": "{", "textbraceright": "}", "textparagraph": "¶", "textsection": "§",
	"today": "", "xspace": "",
	"quotedblbase": "„", "quotesinglbase": "‚", "glqq": "„", "grqq": "“", "flqq": "«", "frqq": "»",
	"textrightarrow": "→", "textleftarrow": "←",
	"No": "№", "textnumero": "№", "cdash": "—", "BibTeX": "BibTeX",
}

// skipped maps typesetting commands to the number of their arguments that are not text.
var skipped = map[string]int{
	"end": 1, "hline": 0, "cline": 1, "toprule": 0, "midrule": 0, "bottomrule": 0, "rowcolor": 1,
	"cellcolor": 1, "columncolor": 1, "hhline": 1, "addlinespace": 0, "rowcolors": 3, "vspace": 1,
	"hspace": 1, "usepackage": 1, "documentclass": 1, "setlength": 2, "addtolength": 2, "cite": 1,
	"pagestyle": 1, "thispagestyle": 1, "color": 1, "textcolor": 1, "rule": 2, "sampleinputname": 0,
	"lstset": 1, "bibliographystyle": 1, "captionsetup": 1, "scalebox": 1, "resizebox": 2, "raisebox": 1,
	"fontsize": 2, "plainproblemname": 1, "rotatebox": 1, "definecolor": 3, "colorlet": 2, "usetikzlibrary": 1,
	"tikzset": 1, "pgfplotsset": 1, "RequirePackage": 1, "newcounter": 1, "setcounter": 2, "addtocounter": 2,
	"stepcounter": 1, "refstepcounter": 1, "newlength": 1, "newsavebox": 1, "sbox": 2, "usebox": 1,
	"lstdefinestyle": 2, "lstdefinelanguage": 2, "DeclareGraphicsExtensions": 1, "DeclareGraphicsRule": 4,
	"theoremstyle": 1, "selectlanguage": 1,
	"hypertarget": 1, "bibliography": 1, "bibitem": 1, "hyphenation": 1, "geometry": 1,
	"hypersetup": 1, "sisetup": 1, "setlist": 1, "numberwithin": 2, "pagenumbering": 1, "title": 1,
	"author": 1, "date": 1, "addcontentsline": 3, "phantom": 1, "hphantom": 1, "vphantom": 1, "settowidth": 2,
	"settoheight": 2, "index": 1, "arraystretch": 0, "footnotemark": 0, "pagebreak": 0, "nopagebreak": 0,
	"nolinebreak": 0, "savebox": 2, "sampleoutputname": 0,
}

// commands returns the table of the commands that need a function. It is not a variable, to avoid an
// initialization cycle.
func commands() map[string]action {
	skip := func(n int) action { // skips n arguments
		return func(r *reader, s string, i, depth int) int {
			_, i, _ = option(s, i)
			for range n {
				_, i = argument(s, i)
			}
			return i
		}
	}
	heading := func(level int) action {
		return func(r *reader, s string, i, depth int) int {
			_, i, _ = option(s, i)
			body, end := argument(s, i)
			r.write("\n\n" + strings.Repeat("#", level) + " " + oneLine(r.convert(body, depth)) + "\n\n")
			return end
		}
	}
	read := func(n int) action { // skips n arguments and reads the next one
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
	all := map[string]action{
		"problemname": heading(1), "section": heading(2), "subsection": heading(3), "subsubsection": heading(4),
		"paragraph": heading(4),
		"begin":     (*reader).environment, "item": (*reader).item,
		"\\": (*reader).lineBreak, "tabularnewline": (*reader).lineBreak,
		"cmidrule":    (*reader).rule,
		"multicolumn": (*reader).multicolumn, "multirow": (*reader).multirow,
		"(": (*reader).parenMath, "[": (*reader).bracketMath,
		"url": (*reader).url, "href": (*reader).href, "includegraphics": (*reader).image,
		"epsfig": (*reader).epsfig, "psfig": (*reader).epsfig,
		"epsfbox": (*reader).image, "pgfimage": (*reader).image, "includepdf": (*reader).image,
		"includesvg": (*reader).image, "illustration": (*reader).illustration,
		"caption": (*reader).captionBelow, "subcaption": (*reader).captionBelow, "captionof": (*reader).captionOf,
		"subfloat":  (*reader).subfloat,
		"subfigure": (*reader).subfloat, "subcaptionbox": (*reader).captionBox,
		"graphicspath": (*reader).graphicsPath, "tikz": (*reader).tikz,
		"footnote": (*reader).footnote, "epigraph": (*reader).epigraph, "verb": (*reader).verb,
		"lstinline": (*reader).verb, "mintinline": (*reader).mintinline, "footnotetext": (*reader).footnote,
		"nextsample": mark("\n\n{{nextsample}}\n\n"), "remainingsamples": mark("\n\n{{remainingsamples}}\n\n"),
		"constant": (*reader).constant, "label": (*reader).label,
		"newcommand": (*reader).define, "renewcommand": (*reader).define, "providecommand": (*reader).define,
		"def":         (*reader).plainDefine,
		"newcommandx": (*reader).define, "DeclareRobustCommand": (*reader).define, "edef": (*reader).plainDefine,
		"gdef": (*reader).plainDefine,
		"xdef": (*reader).plainDefine, "let": (*reader).let, "newenvironment": (*reader).defineEnvironment,
		"renewenvironment": (*reader).defineEnvironment,
		"newtheorem":       (*reader).theorem, "DeclarePairedDelimiter": (*reader).delimiters, "DeclareMathOperator": (*reader).operator,
		"input": (*reader).input, "include": (*reader).input, "subfile": (*reader).input,
		"import": (*reader).imported, "subimport": (*reader).imported,
		"lstinputlisting": (*reader).listing, "verbatiminput": (*reader).listing, "VerbatimInput": (*reader).listing,
		"newcolumntype": (*reader).columnType,
		"renewcommandx": (*reader).define,
		"colorbox":      read(1), "fcolorbox": read(2), "parbox": read(1), "hyperlink": read(1), "hyperref": read(0),
		"adjustbox": read(1), "foreignlanguage": read(1), "makecell": read(0),
		"shortstack": read(0), "ensuremath": (*reader).ensure,
	}
	for word, args := range skipped {
		all[word] = skip(args)
	}
	for _, word := range []string{"SI", "qty", "num", "si", "unit"} {
		all[word] = siunitx(word)
	}
	for word, withName := range references {
		all[word] = reference(withName)
	}
	for word := range conditions {
		all[word] = (*reader).branch
	}
	for word, title := range olympSections {
		all[word] = section(title)
	}
	for word, do := range map[string]action{
		"Example": (*reader).examplesHere, "Examples": (*reader).examplesHere, "exmp": (*reader).exmp, "exmpfile": (*reader).exmpFile,
	} {
		all[word] = do
	}
	return all
}
