package arena

// Games is how many records of games a log holds, of those too that do not count.
func (l *Log) Games() int { return len(l.games) }

// Records are the records of a log that are not games.
func (l *Log) Records() (all []*Record) {
	for i := range l.others {
		all = append(all, &l.others[i].Record)
	}
	return all
}
