import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

export interface Certificate {
  /** PEM. */
  readonly key: string
  readonly cert: string
}

/** A self-signed certificate for 127.0.0.1, with the key type and hash of AWS's own endpoints, valid for a day. RFC 5280. */
export function selfSigned(now: number): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const algorithm = sequence(SHA256_WITH_RSA, tagged(0x05))
  const body = sequence(
    tagged(0xa0, integer(2)),
    integer(1),
    algorithm,
    NAME,
    sequence(utcTime(now - DAY_MS), utcTime(now + DAY_MS)),
    NAME,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(
      0xa3,
      sequence(sequence(SUBJECT_ALT_NAME, tagged(0x04, sequence(tagged(0x87, LOCALHOST))))),
    ),
  )
  const signature = sign('sha256', body, privateKey)
  const der = sequence(body, algorithm, tagged(0x03, Buffer.of(0), signature))
  return { key: pemOf(privateKey), cert: wrapped(der) }
}

const DAY_MS = 86_400_000
const SHA256_WITH_RSA = tagged(0x06, Buffer.from('2a864886f70d01010b', 'hex'))
const COMMON_NAME = tagged(0x06, Buffer.from('550403', 'hex'))
const SUBJECT_ALT_NAME = tagged(0x06, Buffer.from('551d11', 'hex'))
const LOCALHOST = Buffer.of(127, 0, 0, 1)
const NAME = sequence(
  tagged(0x31, sequence(COMMON_NAME, tagged(0x0c, Buffer.from('lineclear bench')))),
)

/** DER: tag, length, content. */
function tagged(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 128 ? [length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.of(tag, ...size), content])
}

function sequence(...parts: readonly Uint8Array[]): Buffer {
  return tagged(0x30, ...parts)
}

function integer(value: number): Buffer {
  return tagged(0x02, Buffer.of(value))
}

function utcTime(time: number): Buffer {
  const digits = new Date(time).toISOString().replace(/\D/g, '').slice(2, 14)
  return tagged(0x17, Buffer.from(`${digits}Z`))
}

function pemOf(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString()
}

function wrapped(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
}
