package rating

// Settling says when a ranking is settled: each two neighbors are known to differ,
// or known to be equal up to Margin. All statements together, over all looks, are
// wrong with a probability of at most Error.
type Settling struct {
	Error  float64 // 0 stands for 0.05
	Margin float64 // Elo points; 0 stands for 10
}

// Settled reports whether the ranking is settled. Look says how often it has been asked of
// this ranking so far, this time included.
// The error is shared out over the neighbors, and over the looks: the k-th gets 1/(k(k+1)),
// so that it is stored however often one looks, though looking rarely is better: at
// rounds 1, 2, 4, 8 and so on, say.
func (r *Ratings) Settled(s Settling, look int) bool {
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
		differ := 1-superior(elo, deviation) <= share/2
		equal := 1-superior(s.Margin-elo, deviation)+1-superior(s.Margin+elo, deviation) <= share
		if !differ && !equal {
			return false
		}
	}
	return true
}
