package kit

// Referee was the main function of a game's referee, which is referee.Main of package
// assay/judge/kit/referee now, with all that referees need. The compiler prints this
// text to a program that still calls it here; so it is short.
const Referee = "it is referee.Main in assay/judge/kit/referee"
