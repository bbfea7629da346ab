package lang

import (
	"regexp"
	"strings"

	"assay/judge/running/config"
	"assay/judge/running/lang/jvm"
)

// fill replaces names in braces by their values. Unknown names stay unchanged, because the memory limit is filled
// in when the program is run.
func fill(text string, words map[string]string) string {
	if !strings.Contains(text, "{") {
		return text
	}
	return config.Placeholder().ReplaceAllStringFunc(text, func(in string) string {
		if w, ok := words[in[1:len(in)-1]]; ok {
			return w
		}
		return in
	})
}

// mentions reports whether a language's commands contain a placeholder.
func mentions(l *config.Language, word string) bool {
	word = "{" + word + "}"
	for _, command := range append(l.Build[:len(l.Build):len(l.Build)], l.Run) {
		for _, arg := range command {
			if strings.Contains(arg, word) {
				return true
			}
		}
	}
	return false
}

// mentionsVersion reports whether the settings of a language contain the placeholder for the version of its tools.
func mentionsVersion(l *config.Language) bool {
	const word = "{" + config.Version + "}"
	for _, texts := range []map[string]string{l.Files, l.Kit.Files, l.Env, l.BuildEnv} {
		for _, text := range texts {
			if strings.Contains(text, word) {
				return true
			}
		}
	}
	return mentions(l, config.Version)
}

// command fills in the placeholders of a command and replaces the tool by its path.
func (c *toolchain) command(command []string, words map[string]string, sources []string) []string {
	var argv []string
	for i, arg := range command {
		switch {
		case i == 0 && c.paths[arg] != "":
			argv = append(argv, c.paths[arg])
		case arg == "{"+config.Sources+"}":
			for _, name := range sources {
				argv = append(argv, escapeOption(name))
			}
		case arg == "{"+config.Entry+"}":
			argv = append(argv, escapeOption(fill(arg, words)))
		default:
			argv = append(argv, fill(arg, words))
		}
	}
	return argv
}

// escapeOption returns a file name in a form that no tool treats as an option or as a file of options.
func escapeOption(name string) string {
	if strings.HasPrefix(name, "-") || strings.HasPrefix(name, "@") {
		return "./" + name
	}
	return name
}

// find determines the values of the names in a language's [find] table, and stores them in words. The value of a
// name comes from the first expression that matches in any of the texts.
func find(l *config.Language, texts [][]byte, words map[string]string) {
	for name, f := range l.Find {
		words[name] = findWord(f, texts)
	}
	if strings.Contains(l.File, "{"+config.Public+"}") && len(texts) > 0 {
		words[config.Public] = "Main"
		if name := jvm.PublicType(texts[0]); name != "" && len(name) <= maxPublic {
			words[config.Public] = name
		}
	}
}

// maxPublic is the maximum length in bytes of a public Java class name that is used as a file name.
const maxPublic = 200

func findWord(f config.Find, texts [][]byte) string {
	give := f.Give
	if give == "" {
		give = "$1"
	}
	for _, expr := range f.Match {
		re, err := regexp.Compile(expr)
		if err != nil {
			continue // package config has reported the error
		}
		for _, text := range texts {
			if m := re.FindSubmatchIndex(text); m != nil {
				return string(re.Expand(nil, []byte(give), text, m))
			}
		}
	}
	return f.Else
}

// buildDir is the path of the build directory inside the sandbox.
const buildDir = "/build"
