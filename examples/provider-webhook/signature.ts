import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'

/** An event of API Gateway, as far as its sender can sign it. */
export interface SignedRequest {
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body?: string | null | undefined
  readonly isBase64Encoded?: boolean | undefined
}

/** `body` of a request that its sender has signed, or why it is refused: for the log, not for the sender. */
export type Verified =
  | { readonly body: string; readonly refused?: undefined }
  | { readonly body?: undefined; readonly refused: string }

/** A request that was recorded can be sent again for as long: what it does has to be done once for each id in its body. */
const WINDOW_MS = 5 * 60_000

/** A shorter key can be guessed. While a key is replaced, the provider signs with either. */
const key = z.string().min(32)
const Secrets = z.object({ current: key, previous: key.or(z.literal('')).optional() })

/**
 * Webhooks cannot sign as IAM asks, and an authorizer does not see the body: the function itself verifies an HMAC-SHA256 over the
 * time and the body, byte by byte as it was sent.
 * @param secrets JSON: `{"current":"…","previous":"…"}`
 * @throws Error when there is no key to verify with: nothing is accepted unverified
 */
export function verify(
  request: SignedRequest,
  secrets: string | undefined,
  now: number = Date.now(),
): Verified {
  const { current, previous = '' } = readSecrets(secrets)
  const timestamp = header(request, 'webhook-timestamp')
  const signature = header(request, 'webhook-signature')
  // API Gateway joins a header that is there twice with a comma, which neither of them contains.
  if (timestamp === undefined || !/^\d{10}$/.test(timestamp)) return { refused: 'no timestamp' }
  if (signature === undefined || !/^[\da-f]{64}$/.test(signature))
    return { refused: 'no signature' }
  if (Math.abs(now - Number(timestamp) * 1_000) > WINDOW_MS) return { refused: 'not of this time' }
  const body = Buffer.from(request.body ?? '', request.isBase64Encoded ? 'base64' : 'utf8')
  const given = Buffer.from(signature, 'hex')
  // All of them are compared, and each in constant time: the answer's delay tells nothing of a key.
  const matches = [current, previous]
    .filter((secret) => secret !== '')
    .map((secret) => timingSafeEqual(hmac(secret, timestamp, body), given))
  return matches.includes(true) ? { body: body.toString() } : { refused: 'signed by another key' }
}

/** What the provider sends besides the body. @param at in epoch milliseconds */
export function sign(body: string | Buffer, secret: string, at: number): Record<string, string> {
  const timestamp = String(Math.floor(at / 1_000))
  const signature = hmac(secret, timestamp, Buffer.from(body)).toString('hex')
  return { 'webhook-timestamp': timestamp, 'webhook-signature': signature }
}

/** The timestamp has a fixed length, so that no other pair of time and body gives the same text. */
function hmac(secret: string, timestamp: string, body: Buffer): Buffer {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest()
}

function readSecrets(text: string | undefined): z.infer<typeof Secrets> {
  try {
    return Secrets.parse(JSON.parse(text ?? ''))
  } catch {
    // Without the cause, which may quote the secret.
    throw new Error(
      'verify: secrets: expected {"current":"…","previous":"…"} with keys of 32 characters or more; nothing was accepted. Is the secret set?',
    )
  }
}

/** HTTP APIs give names in lower case, REST APIs as they were sent. A header that is there twice counts as missing. */
function header({ headers }: SignedRequest, name: string): string | undefined {
  const found = Object.entries(headers).filter(([each]) => each.toLowerCase() === name)
  return found.length === 1 ? found[0]?.[1] : undefined
}
