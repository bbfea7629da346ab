package polygon

import "strings"

// codes maps the languages that Polygon names to their ISO 639-1 codes.
var codes = map[string]string{
	"afrikaans": "af", "albanian": "sq", "arabic": "ar", "armenian": "hy", "azerbaijani": "az", "azeri": "az",
	"basque": "eu", "belarusian": "be",
	"bengali": "bn", "bosnian": "bs", "bulgarian": "bg", "burmese": "my", "catalan": "ca", "chinese": "zh",
	"croatian": "hr", "czech": "cs", "danish": "da",
	"dutch": "nl", "english": "en", "esperanto": "eo", "estonian": "et", "farsi": "fa", "finnish": "fi",
	"french": "fr", "galician": "gl", "georgian": "ka",
	"german": "de", "greek": "el", "hebrew": "he", "hindi": "hi", "hungarian": "hu", "icelandic": "is",
	"indonesian": "id", "irish": "ga", "italian": "it",
	"japanese": "ja", "kazakh": "kk", "khmer": "km", "korean": "ko", "kyrgyz": "ky", "lao": "lo", "latin": "la",
	"latvian": "lv", "lithuanian": "lt",
	"macedonian": "mk", "malay": "ms", "maltese": "mt", "moldavian": "ro", "moldovan": "ro", "mongolian": "mn",
	"nepali": "ne", "norwegian": "no",
	"persian": "fa", "polish": "pl", "portuguese": "pt", "punjabi": "pa", "romanian": "ro", "russian": "ru",
	"serbian": "sr", "sinhala": "si",
	"slovak": "sk", "slovene": "sl", "slovenian": "sl", "spanish": "es", "swahili": "sw", "swedish": "sv",
	"tagalog": "tl", "tajik": "tg", "tamil": "ta",
	"tatar": "tt", "telugu": "te", "thai": "th", "turkish": "tr", "turkmen": "tk", "ukrainian": "uk", "urdu": "ur",
	"uzbek": "uz", "vietnamese": "vi",
	"welsh": "cy", "yakut": "sah",
}

// code returns the code of a language. It returns the name of an unknown language unchanged.
func code(language string) string {
	language = strings.ToLower(strings.TrimSpace(language))
	if code, ok := codes[language]; ok {
		return code
	}
	return language
}

// synonyms lists the names of languages that have another name, which exports use.
var synonyms = map[string]bool{"azeri": true, "farsi": true, "moldavian": true, "moldovan": true, "slovene": true}

// LanguageName returns Polygon's name of the language with a code. It returns an unknown code unchanged.
func LanguageName(code string) string {
	for name, c := range codes {
		if c == code && !synonyms[name] {
			return name
		}
	}
	return code
}
