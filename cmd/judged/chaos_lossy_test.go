package main

import (
	"bufio"
	"io"
	"math/rand/v2"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// lossy runs a proxy in front of a server's bridge and returns its address. The proxy loses a fifth of the
// workers' acknowledgements, and delays a twentieth by 25 s.
func lossy(t *testing.T, to string) (address string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}
			go carry(from, to)
		}
	}()
	return l.Addr().String()
}

func carry(from net.Conn, address string) {
	defer from.Close()
	to, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	defer to.Close()
	go func() {
		defer from.Close()
		_, _ = io.Copy(from, to)
	}()
	in := bufio.NewReader(from)
	for line := ""; line != "\r\n"; { // the connection request
		if line, err = in.ReadString('\n'); err != nil {
			return
		}
		_, _ = io.WriteString(to, line)
	}
	var turn sync.Mutex
	send := func(message string) {
		turn.Lock()
		defer turn.Unlock()
		_, _ = io.WriteString(to, message)
	}
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		message := line
		words := strings.Fields(line)
		isAck := false
		if len(words) > 2 && (words[0] == "PUB" || words[0] == "HPUB") {
			size, _ := strconv.Atoi(words[len(words)-1])
			body := make([]byte, size+2)
			if _, err := io.ReadFull(in, body); err != nil {
				return
			}
			message += string(body)
			isAck = strings.HasPrefix(words[1], "$JS.ACK.") && strings.HasPrefix(string(body), "+ACK")
		}
		switch n := rand.N(100); {
		case isAck && n < 20:
		case isAck && n < 25:
			time.AfterFunc(25*time.Second, func() { send(message) })
		default:
			send(message)
		}
	}
}
