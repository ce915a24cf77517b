package target

import "crypto/x509"

// certificates reads the file of PEM certificates that a setting names, nil if it
// is not set.
func (r *resolver) certificates(key string) *x509.CertPool {
	v, given := r.overlay.values[key]
	if !given {
		return nil
	}
	data, err := readBounded(v.texts[0])
	if err != nil {
		r.fail(v, "%s: reading the certificates: %v", key, err)
		return nil
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(data) {
		r.fail(v, "%s: %s holds no certificate: it is PEM, with lines such as -----BEGIN CERTIFICATE-----", key, v.texts[0])
		return nil
	}
	return pool
}
