package forceremove

// locks reports whether directories can be locked. If they cannot, stale directories stay.
const locks = false

func lock(string) (unlock func() error) { return func() error { return nil } }
