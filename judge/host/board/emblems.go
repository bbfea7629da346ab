package board

import (
	"strings"

	"assay/judge/host/media"
	"assay/judge/host/scoring"
	"assay/judge/host/store"
)

// emblemSize is the side that pictures on a scoreboard have at least, in pixels.
const emblemSize = 56

// emblem is what a scoreboard shows of an organization.
type emblem struct{ logo, flag, country string }

// emblemsOf returns what a scoreboard shows of organizations, by their ids.
func emblemsOf(organizations []store.Organization, files []media.File) map[string]emblem {
	all := map[string]emblem{}
	for _, o := range organizations {
		best := func(property string) string {
			var of []media.File
			for _, f := range files {
				if f.Type == media.Organizations && f.Object == o.ID && f.Property == property {
					of = append(of, f)
				}
			}
			if f := media.Best(of, emblemSize, "light"); f != nil {
				return f.Href() + "?" + f.MD5[:8] // the address of another picture is another one
			}
			return ""
		}
		all[o.ID] = emblem{best(media.Logo), best(media.Flag), o.Country}
	}
	return all
}

// Path returns the path of a picture of a team below that of the contest's files.
func Path(address string) string {
	path, _, _ := strings.Cut(address, "?")
	return path
}

// emblems draws the logo and the flag of a team, or its country if it has no flag.
func (p *pen) emblems(out []byte, t *scoring.Team) []byte {
	picture := func(class, address, alt string) {
		base := p.head.base() + "/media/"
		if p.static {
			base, address = "media/", Path(address)
		}
		out = append(out, `<img class="`+class+`" src="`+base+text(address)+`" alt="`+text(alt)+`" loading="lazy">`...)
	}
	if t.Logo != "" {
		picture("logo", t.Logo, "")
	}
	switch {
	case t.Flag != "":
		picture("flag", t.Flag, t.Country)
	case t.Country != "":
		out = append(out, `<span class="country">`+text(t.Country)+`</span>`...)
	}
	return out
}
