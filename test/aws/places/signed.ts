import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto'
import { SignatureV4 } from '@smithy/signature-v4'
import type { Credentials } from './place.ts'

/** SHA-256, or an HMAC with a secret, as the signer asks for it. */
class Sha256 {
  readonly #secret: Parameters<typeof createHmac>[1] | undefined
  #hash: Hash | Hmac

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#secret = typeof secret === 'string' || secret === undefined ? secret : bytesOf(secret)
    this.#hash = this.#begin()
  }

  update(chunk: Uint8Array): void {
    this.#hash.update(chunk)
  }

  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.digest())
  }

  reset(): void {
    this.#hash = this.#begin()
  }

  #begin(): Hash | Hmac {
    return this.#secret === undefined ? createHash('sha256') : createHmac('sha256', this.#secret)
  }
}

function bytesOf(source: ArrayBuffer | ArrayBufferView): Uint8Array {
  if (source instanceof ArrayBuffer) return new Uint8Array(source)
  return new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
}

/** A POST to an API of which IAM decides who may call it. */
export async function signed(
  { region, ...credentials }: Credentials & { readonly region: string },
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<{ method: string; headers: Record<string, string>; body: string }> {
  const signer = new SignatureV4({
    service: 'execute-api',
    region,
    credentials,
    sha256: Sha256,
  })
  const request = await signer.sign({
    method: 'POST',
    protocol: url.protocol,
    hostname: url.hostname,
    path: url.pathname,
    headers: { ...headers, host: url.host },
    body,
  })
  return { method: 'POST', headers: request.headers, body }
}
