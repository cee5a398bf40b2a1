import type { S3Client } from '@aws-sdk/client-s3'
import {
  messageOf,
  RetryableError,
  StoreUnavailableError,
  type Unavailable,
} from '../../base/errors.ts'
import { checkOptions, type Checks, having, matching, required, whole } from '../../base/options.ts'
import { openPayloads } from '../payloads/openPayloads.ts'
import type { LargePayloads } from '../../record/envelope/envelope.ts'
import { inTime } from '../../send/timeouts.ts'
import { lazyS3 } from './s3Client.ts'

/** Options of {@link s3Payloads}. */
export interface S3PayloadsOptions {
  /** Name of the bucket: the same for senders and consumers. */
  readonly bucket: string
  /**
   * Default `lineclear-payloads/`. Give it a lifecycle rule that expires objects after twice `retention` and 30 days more: 90 days
   * by default. Without the rule they stay for ever.
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
const OPTIONS: Checks<S3PayloadsOptions> = {
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
 * Keeps payloads in an S3 bucket that do not fit into a message, for the option `payloads` of `recordHandler`, `defineFlow` and
 * `producer`: what is larger than its queue or topic takes is written to S3 first, and the message carries its hash. A consumer
 * with the same option reads it back before schema and `id`, checks the hash, and its handler sees no difference; for a payload
 * that fits, S3 is not called. Objects are named by the hash and never deleted here: see `prefix`.
 *
 * Senders need `s3:PutObject`, consumers both `s3:PutObject` (for dead letters of messages at the very limit) and
 * `s3:GetObject`, on `<bucket>/<prefix>*`; with `s3:ListBucket` S3 tells a missing object from a forbidden one.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html
 * @throws ConfigError naming the option, when one is wrong
 * @example
 * const payloads = s3Payloads({ bucket: process.env['PAYLOADS_BUCKET'] ?? '' })
 * const consumer = recordHandler({ name: 'reports', store, payloads }, work)
 */
export function s3Payloads(options: S3PayloadsOptions): LargePayloads {
  checkOptions('s3Payloads', options, OPTIONS)
  const { bucket, prefix = 'lineclear-payloads/', maxBytes = 16 * MIB, bucketOwner } = options
  const s3 = lazyS3(options.client)
  const placeOf = (name: string): string => `s3://${bucket}/${prefix}${name}`
  const objectOf = (name: string) => ({
    Bucket: bucket,
    Key: prefix + name,
    // @protects the bucket belongs to the account that was named
    ...(bucketOwner !== undefined && { ExpectedBucketOwner: bucketOwner }),
  })
  return openPayloads(
    {
      placeOf,
      put: async (name, text) => {
        const { sdk, client } = await s3()
        const object = { ...objectOf(name), Body: text, ContentType: 'text/plain; charset=utf-8' }
        const command = new sdk.PutObjectCommand(object)
        await inTime(undefined, (limit) => client.send(command, limit)).catch((error: unknown) => {
          throw unavailable(error, 'written', 's3:PutObject', placeOf(name))
        })
      },
      get: async (name, bytes) => {
        const { sdk, client } = await s3()
        try {
          const command = new sdk.GetObjectCommand(objectOf(name))
          return await inTime(undefined, async (limit) => {
            const { Body, ContentLength } = await client.send(command, limit)
            // @protects an object of another size is not read
            // @without true
            if (ContentLength === bytes) return Body?.transformToString()
            await Body?.transformToWebStream().cancel()
            return undefined
          })
        } catch (error) {
          if (nameOf(error) === 'NoSuchKey') return undefined
          throw unavailable(error, 'read', 's3:GetObject', placeOf(name))
        }
      },
    },
    maxBytes,
  )
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
