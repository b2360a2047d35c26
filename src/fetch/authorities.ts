import { X509Certificate } from "node:crypto";
import * as tls from "node:tls";

const certificateBlock = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/**
 * Trusts further authorities beside those that Node trusts.
 *
 * Before Node 22.15 the authorities of NODE_EXTRA_CA_CERTS are not among the latter: there is no way to ask for them.
 *
 * @param pem - one or more certificates
 * @throws TypeError if it holds no certificate, or one that cannot be read
 */
export function trustAuthorities(pem: string): tls.SecureContext {
  const certificates = pem.match(certificateBlock) ?? [];
  if (certificates.length === 0) throw new TypeError("no certificate in PEM is there");
  for (const certificate of certificates) {
    try {
      new X509Certificate(certificate);
    } catch (error) {
      throw new TypeError(`not a certificate: ${(error as Error).message}`, { cause: error });
    }
  }
  const { getCACertificates } = tls as { readonly getCACertificates?: (type: "default") => string[] };
  return tls.createSecureContext({
    ca: [...(getCACertificates?.("default") ?? tls.rootCertificates), ...certificates],
  });
}
