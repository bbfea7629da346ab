package scoreboard

import (
	"strings"

	"assay/judge/host/media"
	"assay/judge/host/scoring"
	"assay/judge/host/store"
)

// emblemSize is the minimum side length of pictures on a scoreboard, in pixels.
const emblemSize = 56

// emblem is what a scoreboard shows of an organization.
type emblem struct{ logo, flag, country string }

// emblemsOf maps the ids of organizations to their emblems.
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
				return f.Href() + "?" + f.MD5[:8] // a new picture gets a new address
			}
			return ""
		}
		all[o.ID] = emblem{best(media.Logo), best(media.Flag), o.Country}
	}
	return all
}

// PicturePath returns the path of a team's picture, relative to the directory of the contest's files.
func PicturePath(address string) string {
	path, _, _ := strings.Cut(address, "?")
	return path
}

// emblems renders the logo and the flag of a team. If the team has no flag, it renders the country.
func (p *renderer) emblems(out []byte, t *scoring.Team) []byte {
	picture := func(class, address, alt string) {
		base := p.head.base() + "/media/"
		if p.static {
			base, address = "media/", PicturePath(address)
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
