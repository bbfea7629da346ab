package tex

import (
	"fmt"
	"strconv"
	"strings"

	"assay/judge/internal/pattern"
)

// image reads \includegraphics[options]{file}.
func (r *reader) image(s string, i, depth int) int {
	if i < len(s) && s[i] == '<' { // of slides
		if k := strings.IndexByte(s[i:], '>'); k >= 0 {
			i += k + 1
		}
	}
	options, i, _ := option(s, i)
	_, i, _ = option(s, i) // second corner of a bounding box
	file, end := argument(s, i)
	r.picture(file, r.size(options))
	return end
}

// epsfig reads \epsfig{file=name,width=3cm}, which old statements use.
func (r *reader) epsfig(s string, i, depth int) int {
	options, end := argument(s, i)
	if found := fileOption().FindStringSubmatch(options); found != nil {
		r.picture(found[1], r.size(options))
	}
	return end
}

var fileOption = pattern.New(`(?:^|,)\s*(?:file|figure)\s*=\s*([^,]*)`)

// captionMark stands for the caption in the alternative texts of a figure's images, until the caption has been
// read. It cannot appear in other text.
const captionMark = "\x00caption\x00"

// picture writes an image. In a figure, the alternative text is captionMark, which is later replaced by the
// caption.
func (r *reader) picture(file, size string) {
	alt := ""
	if r.caption != nil {
		alt = captionMark
	}
	if image := r.imageOf(file, alt, size); image != "" {
		r.write(image)
	}
}

// imageOf returns an image in Markdown. It returns an empty string if the file name is empty.
func (r *reader) imageOf(file, alt, size string) string {
	source := file
	file = r.pathOf(file)
	if file == "" {
		return ""
	}
	file = r.found(file)
	if !r.quiet && len(r.doc.Pictures) < maxPictures {
		at, line := r.place(source)
		r.doc.Pictures = append(r.doc.Pictures, Picture{Name: file, File: at, Line: line})
	}
	target := file + size
	if strings.ContainsAny(target, " ()") {
		target = "<" + target + ">"
	}
	return "![" + alt + "](" + target + ")"
}

// pathOf returns the path of a picture as LaTeX interprets it.
func (r *reader) pathOf(file string) string {
	file = signsOfPaths.Replace(r.source(file, 0))
	file = strings.Trim(strings.TrimSpace(file), `"`)
	return strings.TrimPrefix(strings.NewReplacer("<", "", ">", "", `\`, "/", "\x00", "").Replace(file), "./")
}

var signsOfPaths = strings.NewReplacer(`\_`, "_", `\%`, "%", `\#`, "#", `\&`, "&", `\space`, " ",
	"\n", " ", "\t", " ", "{", "", "}", "", "~", " ")

// found returns the path of a picture relative to the statement's directory. If the directory has no such picture,
// it searches the directories of \graphicspath.
func (r *reader) found(file string) string {
	dirs := r.pictureDirs
	if r.Find != nil {
		for _, folder := range append([]string{""}, dirs...) {
			if path := r.Find(folder + file); path != "" {
				return path
			}
		}
	}
	return append(dirs, "")[0] + file
}

// graphicsPath reads \graphicspath{{dir/}{dir/}}.
func (r *reader) graphicsPath(s string, i, depth int) int {
	body, end := argument(s, i)
	r.pictureDirs = nil
	for at := 0; at < len(body) && len(r.pictureDirs) < 20; {
		if body[at] != '{' {
			at++
			continue
		}
		var folder string
		folder, at = group(body, at)
		if folder = r.pathOf(folder); folder != "" && !strings.HasSuffix(folder, "/") {
			folder += "/"
		}
		r.pictureDirs = append(r.pictureDirs, folder)
	}
	return end
}

var (
	sizeOption = pattern.New(`(?:^|,)\s*(width|height|totalheight|scale)\s*=\s*([^,]*)`)
	relative   = pattern.New(`^([0-9]*\.?[0-9]*)\s*\\(textwidth|linewidth|columnwidth|hsize)\b`)
	absolute   = pattern.New(`^([0-9]*\.?[0-9]+)\s*(?:true\s*)?(pt|bp|pc|in|cm|mm|em|ex|px)\b`)
	number     = pattern.New(`^[0-9]*\.?[0-9]+$`)
)

// pixels maps TeX units to pixels, at 96 pixels per inch.
var pixels = map[string]float64{
	"pt": 96 / 72.27, "bp": 96 / 72.0, "pc": 96 / 6.0, "in": 96, "cm": 96 / 2.54, "mm": 96 / 25.4, "em": 16, "ex": 8, "px": 1,
}

// size returns a URL fragment for the size in the options of a picture. It returns an empty string if they give no
// size.
func (r *reader) size(options string) string {
	said := map[string]string{}
	for _, found := range sizeOption().FindAllStringSubmatch(r.source(options, 0), 50) {
		said[strings.TrimPrefix(found[1], "total")] = strings.TrimSpace(found[2])
	}
	for _, key := range []string{"width", "height"} {
		if share, ok := r.shareOf(said[key]); ok && key == "width" {
			return percent("width", share)
		}
		if found := absolute().FindStringSubmatch(said[key]); found != nil {
			n, _ := strconv.ParseFloat(found[1], 64) // the pattern matches only numbers
			return fmt.Sprintf("#%s=%.0fpx", key, min(max(n*pixels[found[2]], 1), 10_000))
		}
	}
	if number().MatchString(said["scale"]) {
		n, _ := strconv.ParseFloat(said["scale"], 64)
		return percent("scale", n)
	}
	return ""
}

// shareOf returns a width as a fraction of the text width.
func (r *reader) shareOf(width string) (share float64, ok bool) {
	found := relative().FindStringSubmatch(strings.TrimSpace(width))
	if found == nil {
		return 0, false
	}
	share = 1
	if found[1] != "" {
		var err error
		if share, err = strconv.ParseFloat(found[1], 64); err != nil {
			return 0, false
		}
	}
	if found[2] == "linewidth" || found[2] == "hsize" {
		return share * r.share, true
	}
	return share * r.block, true
}

// percent returns a URL fragment for a fraction.
func percent(key string, share float64) string {
	most := 1.0
	if key == "scale" {
		most = 20
	}
	return fmt.Sprintf("#%s=%.0fpc", key, min(max(share, 0.01), most)*100)
}

// illustration reads \illustration{share}{file}{caption}.
func (r *reader) illustration(s string, i, depth int) int {
	share, i := argument(s, i)
	file, i := argument(s, i)
	caption, end := argument(s, i)
	size := ""
	if n, err := strconv.ParseFloat(strings.TrimSpace(share), 64); err == nil {
		size = percent("width", n)
	}
	text := strings.TrimSpace(r.convert(caption, depth))
	r.write("\n\n" + r.imageOf(file, altText(text), size) + "\n\n" + emphasized(text) + "\n\n")
	return end
}

// altText returns a caption as the alternative text of an image.
func altText(caption string) string { return special.Replace(plain(caption)) }

// emphasized returns a caption as a paragraph to display below its picture.
func emphasized(caption string) string {
	caption = oneLine(caption)
	if caption == "" {
		return ""
	}
	return "*" + caption + "*"
}

// figure reads a figure. Its caption is also the alternative text of its images.
func (r *reader) figure(body string, depth int) {
	caption := ""
	sub := r.sub()
	sub.caption = &caption
	sub.part = r.caption != nil
	sub.text(body, depth+1)
	r.write("\n\n" + strings.ReplaceAll(sub.out.String(), captionMark, altText(caption)) + "\n\n")
}

// captionBelow reads \caption[short]{text}.
func (r *reader) captionBelow(s string, start, depth int) int {
	_, i, _ := option(s, start)
	body, end := argument(s, i)
	text := strings.TrimSpace(r.convert(body, depth))
	if r.caption != nil && *r.caption == "" {
		*r.caption = text
	}
	r.write("\n\n" + emphasized(r.numbered(text, strings.HasSuffix(s[:start], "*"))) + "\n\n")
	return end
}

// captionOf reads \captionof{figure}{text}.
func (r *reader) captionOf(s string, i, depth int) int {
	kind, i := argument(s, i)
	before := r.kind
	r.enter(floats[strings.TrimSpace(kind)])
	end := r.captionBelow(s, i, depth)
	r.kind = before
	return end
}

// subfloat reads \subfloat[caption]{picture}.
func (r *reader) subfloat(s string, i, depth int) int {
	caption, i, _ := option(s, i)
	body, end := argument(s, i)
	r.figure(body+` \caption{`+caption+`}`, depth)
	return end
}

// captionBox reads \subcaptionbox{caption}[width]{picture}.
func (r *reader) captionBox(s string, i, depth int) int {
	caption, i := argument(s, i)
	for found := true; found; {
		_, i, found = option(s, i)
	}
	body, end := argument(s, i)
	r.figure(body+` \caption{`+caption+`}`, depth)
	return end
}

// tikz reads \tikz[options]{drawing} or \tikz drawing;
func (r *reader) tikz(s string, i, depth int) int {
	_, end, _ := option(s, i)
	if k := strings.TrimLeft(s[end:], " \n\t"); strings.HasPrefix(k, "{") {
		_, end = argument(s, end)
	} else if k := strings.IndexByte(s[end:], ';'); k >= 0 {
		end += k + 1
	}
	r.warnOmitted("tikz", `\tikz`)
	return end
}
