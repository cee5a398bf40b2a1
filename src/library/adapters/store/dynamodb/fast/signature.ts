import { createHash, createHmac } from 'node:crypto'
import type { Credentials, Place } from './place.ts'

const ALGORITHM = 'AWS4-HMAC-SHA256'
const SERVICE = 'dynamodb'

type Headers = Readonly<Record<string, string>>

/**
 * The headers with those that sign them, by Signature Version 4. AWS's own signer is 140 KB, and takes 24 ms of a cold start to load.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 * @param now epoch milliseconds
 */
export function signed(
  { host, region }: Pick<Place, 'host' | 'region'>,
  credentials: Credentials,
  given: Headers,
  body: string,
  now: number,
): Headers {
  const time = new Date(now).toISOString().replace(/[-:]|\.\d+/g, '')
  const { sessionToken } = credentials
  const headers: Headers = {
    ...given,
    host,
    'x-amz-date': time,
    ...(sessionToken !== undefined && { 'x-amz-security-token': sessionToken }),
  }
  const names = Object.keys(headers).toSorted()
  const signedHeaders = names.join(';')
  const lines = names.map((name) => `${name}:${headers[name]}\n`).join('')
  const request = `POST\n/\n\n${lines}\n${signedHeaders}\n${sha256(body)}`
  const scope = `${time.slice(0, 8)}/${region}/${SERVICE}/aws4_request`
  const text = `${ALGORITHM}\n${time}\n${scope}\n${sha256(request)}`
  const signature = hmac(keyFor(credentials.secretAccessKey, scope), text).toString('hex')
  const authorization = `${ALGORITHM} Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${signedHeaders}, Signature=${signature}`
  return { ...headers, authorization }
}

let last: { readonly secret: string; readonly scope: string; readonly key: Buffer } | undefined

/** The signing key, kept for the day in which it is valid. */
function keyFor(secret: string, scope: string): Buffer {
  // @protects the key is derived anew when credentials change
  // @without last=== undefined
  if (last?.secret !== secret || last.scope !== scope) {
    const key = scope.split('/').reduce<Buffer>(hmac, Buffer.from(`AWS4${secret}`))
    last = { secret, scope, key }
  }
  return last.key
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
