package server

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"

	"assay/judge"
	"assay/judge/internal/atomicfile"
)

// tlsConfig returns the TLS configuration. It returns nil for plain HTTP.
func (s *Server) tlsConfig() (*tls.Config, error) {
	cert, key := s.o.Cert, s.o.Key
	switch {
	case cert != "" && key != "":
	case cert != "" || key != "":
		return nil, &judge.UsageError{Err: errors.New("a certificate needs both files: cert and key")}
	case s.o.TLS == "":
		return nil, nil
	case s.o.TLS != "self":
		return nil, &judge.UsageError{Err: fmt.Errorf("tls = %q: it is \"\" or \"self\"", s.o.TLS)}
	default:
		cert, key = filepath.Join(s.data, "keys", "tls.crt"), filepath.Join(s.data, "keys", "tls.key")
		if _, err := os.Stat(cert); errors.Is(err, fs.ErrNotExist) {
			if err := makeCertificate(cert, key); err != nil {
				return nil, fmt.Errorf("make a certificate: %w", err)
			}
		}
	}
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, &judge.UsageError{Err: fmt.Errorf("read the certificate: %w", err)}
	}
	if s.o.Cert == "" {
		sum := sha256.Sum256(pair.Certificate[0])
		s.pin = hex.EncodeToString(sum[:])
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, nil
}

// makeCertificate creates a self-signed certificate for this machine. Its fingerprint is part of the server's
// address, so that clients can verify it.
func makeCertificate(cert, key string) error {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return err
	}
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	t := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: "Assay on " + host},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(10, 0, 0),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames: []string{"localhost", host},
	}
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return err
	}
	for _, a := range addresses {
		if n, is := a.(*net.IPNet); is {
			t.IPAddresses = append(t.IPAddresses, n.IP)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, t, t, &private.PublicKey, private)
	if err != nil {
		return err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return err
	}
	// Write the key first, readable only by its owner. After an interruption, both files are created again.
	if err := os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600); err != nil {
		return err
	}
	return atomicfile.Write(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}
