package rating

// SettlingRule determines when a ranking is settled. For each two neighbors in the ranking, it must be known that they
// differ, or that they are equal up to Margin. The probability that any of these findings is wrong, in all checks
// of the ranking together, is at most Error.
type SettlingRule struct {
	Error  float64 // zero means 0.05
	Margin float64 // Elo points; zero means 10
}

// Settled reports whether the ranking is settled. Look is the number of times Settled has been called for this
// ranking so far, including this call.
//
// The error is divided among the neighbors and the looks. Look k gets a share of 1/(k(k+1)), so the total stays
// within the error for any number of looks. Few looks are better, for example after rounds 1, 2, 4, 8 and so on.
func (r *Ratings) Settled(s SettlingRule, look int) bool {
	if s.Error == 0 {
		s.Error = 0.05
	}
	if s.Margin == 0 {
		s.Margin = 10
	}
	order := r.Order()
	neighbors := max(len(order)-1, 1)
	share := s.Error / float64(neighbors) / float64(look*(look+1))
	for k := range len(order) - 1 {
		if r.Players[order[k]].Games == 0 || r.Players[order[k+1]].Games == 0 {
			return false
		}
		elo, deviation := r.Difference(order[k], order[k+1])
		differ := 1-superiority(elo, deviation) <= share/2
		equal := 1-superiority(s.Margin-elo, deviation)+1-superiority(s.Margin+elo, deviation) <= share
		if !differ && !equal {
			return false
		}
	}
	return true
}
