import type { S3Client } from '@aws-sdk/client-s3'
import {
  messageOf,
  RetryableError,
  StoreUnavailableError,
  type Unavailable,
} from '../../base/errors.ts'
import { checkOptions, type Checks, having, matching, required, whole } from '../../base/options.ts'
import { openPayloads } from '../payloads/openPayloads.ts'
import { stableId } from '../../base/ids.ts'
import type { Offload } from '../../run/context/results/resultStore.ts'
import { inTime } from '../../base/inTime.ts'
import { lazyS3 } from './s3Client.ts'

/** Options of {@link s3Objects}. */
export interface S3ObjectsOptions {
  /** Name of the bucket: the same for senders and consumers. */
  readonly bucket: string
  /**
   * Default `lineclear/`: payloads are below `lineclear/payloads/`, results below `lineclear/results/`. Give it a lifecycle rule that
   * expires objects after twice `retention` and 30 days more: 90 days by default. Without the rule they stay for ever.
   */
  readonly prefix?: string
  /** The largest payload that is sent or read, in bytes, 1 MiB to 256 MiB. Default 16 MiB. */
  readonly maxBytes?: number
  /** Id of the account that has to own the bucket: S3 then refuses a bucket of this name in any other. Default: not checked. */
  readonly bucketOwner?: string
  /** Default: one made at the first large payload, from the environment. */
  readonly client?: S3Client | undefined
}

const MIB = 1_048_576
const OPTIONS: Checks<S3ObjectsOptions> = {
  bucket: required(
    matching(
      /^[a-z\d][\w.:/-]{1,254}$/i,
      'the name of a bucket (is its environment variable set?)',
    ),
  ),
  prefix: matching(/^(?:[\w!.*'()/-]{0,511}\/)?$/, 'letters and digits with a "/" at the end'),
  maxBytes: whole(MIB, 256 * MIB),
  bucketOwner: matching(/^\d{12}$/, 'the 12 digits of an account'),
  client: having('an S3Client', 'send'),
}

/**
 * Keeps in an S3 bucket what is too large, for the option `offload` of a handler, a flow and a producer. Objects are never deleted
 * here: see `prefix`.
 * - A payload that is larger than its queue or topic takes is written first, and the message carries its hash. A consumer with the
 *   same option reads it back before schema and `id`, checks the hash, and its handler sees no difference; for a payload that fits,
 *   S3 is not called.
 * - A result that does not fit into the table is written under a hash of its key, so that names reveal nothing. Without
 *   `s3:ListBucket` S3 answers "access denied" for a missing object, so both mean that the result is not there.
 *
 * Senders need `s3:PutObject`, consumers both `s3:PutObject` (for results, and dead letters of messages at the very limit) and
 * `s3:GetObject`, on `<bucket>/<prefix>*`; with `s3:ListBucket` S3 tells a missing object from a forbidden one.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html
 * @throws ConfigError naming the option, when one is wrong
 * @example
 * const offload = s3Objects({ bucket: process.env['OBJECTS_BUCKET'] ?? '' })
 * const consumer = recordHandler({ name: 'reports', store, offload }, work)
 */
export function s3Objects(options: S3ObjectsOptions): Offload {
  checkOptions('s3Objects', options, OPTIONS)
  const { prefix = 'lineclear/', maxBytes = 16 * MIB } = options
  const payloads = s3Folder(options, `${prefix}payloads/`)
  const results = s3Folder(options, `${prefix}results/`)
  return {
    ...openPayloads(
      {
        placeOf: payloads.placeOf,
        put: (name, text) =>
          payloads.put(name, text, 'text/plain; charset=utf-8').catch((error: unknown) => {
            throw unavailable(error, 'written', 's3:PutObject', payloads.placeOf(name))
          }),
        get: (name, bytes) =>
          payloads.get(name, bytes).catch((error: unknown) => {
            if (nameOf(error) === 'NoSuchKey') return undefined
            throw unavailable(error, 'read', 's3:GetObject', payloads.placeOf(name))
          }),
      },
      maxBytes,
    ),
    put: (key, text) => results.put(fileOf(key), text, 'application/json'),
    get: (key) =>
      results.get(fileOf(key)).catch((error: unknown) => {
        // Without `s3:ListBucket` S3 does not tell a missing object from a forbidden one (GetObject, "Permissions").
        if (GONE.includes(nameOf(error))) return undefined
        throw error
      }),
  }
}

const GONE: readonly string[] = ['NoSuchKey', 'NotFound', 'AccessDenied']
const fileOf = (key: string): string => `${stableId(key)}.json`

interface S3Folder {
  /** For errors and operators. */
  placeOf(name: string): string
  put(name: string, text: string, type: string): Promise<void>
  /** @param bytes an object of another size is not read. Default: any size */
  get(name: string, bytes?: number): Promise<string | undefined>
}

function s3Folder({ bucket, bucketOwner, client }: S3ObjectsOptions, folder: string): S3Folder {
  const s3 = lazyS3(client)
  const objectOf = (name: string) => ({
    Bucket: bucket,
    Key: folder + name,
    // @protects the bucket belongs to the account that was named
    ...(bucketOwner !== undefined && { ExpectedBucketOwner: bucketOwner }),
  })
  return {
    placeOf: (name) => `s3://${bucket}/${folder}${name}`,
    put: async (name, text, type) => {
      const { sdk, client: made } = await s3()
      const command = new sdk.PutObjectCommand({ ...objectOf(name), Body: text, ContentType: type })
      await inTime(undefined, (limit) => made.send(command, limit))
    },
    get: async (name, bytes) => {
      const { sdk, client: made } = await s3()
      const command = new sdk.GetObjectCommand(objectOf(name))
      return await inTime(undefined, async (limit) => {
        const { Body, ContentLength = 0 } = await made.send(command, limit)
        // @protects an object of another size is not read
        // @without true
        if (ContentLength === (bytes ?? ContentLength)) return Body?.transformToString()
        await Body?.transformToWebStream().cancel()
        return undefined
      })
    },
  }
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : ''
}

const REASONS: Readonly<Record<string, Unavailable>> = {
  AccessDenied: 'setUp',
  NoSuchBucket: 'setUp',
  PermanentRedirect: 'setUp',
  SlowDown: 'throttled',
}

function unavailable(
  cause: unknown,
  done: 'written' | 'read',
  action: string,
  place: string,
): StoreUnavailableError | RetryableError {
  const forbidden = nameOf(cause) === 'AccessDenied'
  const text = `the payload at ${place} cannot be ${done} now (${messageOf(cause)}); the message stays on its queue.`
  const allow = `Allow ${action} on arn:aws:s3:::${place.slice('s3://'.length)} (any name under its prefix) and its KMS key.`
  // @protects one message without a payload does not fail the batch
  if (forbidden && done === 'read') {
    // Not an outage, which would fail the whole batch: anyone who can send may name an object that is not there.
    const list =
      'Without s3:ListBucket on the bucket this is also what S3 says of a missing object.'
    return new RetryableError(`${text} ${allow} ${list}`, { cause })
  }
  const reason = REASONS[nameOf(cause)] ?? 'noAnswer'
  return new StoreUnavailableError(forbidden ? `${text} ${allow}` : text, { cause, reason })
}
