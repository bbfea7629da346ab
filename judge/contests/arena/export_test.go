package arena

// Games returns the number of game records in a log, including those that are void.
func (l *Log) Games() int { return len(l.games) }

// Records returns the records of a log that are not games.
func (l *Log) Records() (all []*Record) {
	for i := range l.others {
		all = append(all, &l.others[i].Record)
	}
	return all
}
