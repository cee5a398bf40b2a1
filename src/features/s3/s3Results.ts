import type { S3Client } from '@aws-sdk/client-s3'
import type { ResultStore } from '../../context/results/resultStore.ts'
import { stableId } from '../../base/ids.ts'
import { type Checks, checkOptions, having, matching, required } from '../../base/options.ts'
import { inTime } from '../../send/timeouts.ts'
import { lazyS3 } from './s3Client.ts'

/** Options of {@link s3Results}. */
export interface S3ResultsOptions {
  /** Name of the bucket. */
  readonly bucket: string
  /** Default `lineclear-results/`. Give it a lifecycle rule that expires objects a little later than the retention. */
  readonly prefix?: string
  /** Default: one made at the first large result, from the environment. */
  readonly client?: S3Client
}

/**
 * Keeps large results in an S3 bucket, for the option `results`. Objects are named by a hash: names reveal nothing, and no key
 * can leave the prefix. Needs `s3:PutObject` and `s3:GetObject`. Without `s3:ListBucket` S3 answers "access denied" for a
 * missing object, so both mean that the result is not there.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html
 * @throws ConfigError naming the option, when one is wrong
 * @example
 * const results = s3Results({ bucket: 'my-results' })
 * const consumer = recordHandler({ name: 'orders', store, results }, work)
 */
export function s3Results(options: S3ResultsOptions): ResultStore {
  checkOptions('s3Results', options, OPTIONS)
  const { bucket, prefix = 'lineclear-results/', client } = options
  const s3 = lazyS3(client)
  const objectOf = (key: string) => ({ Bucket: bucket, Key: `${prefix}${stableId(key)}.json` })
  return {
    async put(key, text) {
      const { sdk, client: s3Client } = await s3()
      const object = { ...objectOf(key), Body: text, ContentType: 'application/json' }
      const command = new sdk.PutObjectCommand(object)
      await inTime(undefined, (limit) => s3Client.send(command, limit))
    },
    async get(key) {
      const { sdk, client: s3Client } = await s3()
      try {
        const command = new sdk.GetObjectCommand(objectOf(key))
        return await inTime(undefined, async (limit) => {
          const { Body } = await s3Client.send(command, limit)
          return Body?.transformToString()
        })
      } catch (error) {
        // Without `s3:ListBucket` S3 does not tell a missing object from a forbidden one (GetObject, "Permissions").
        if (error instanceof Error && GONE.includes(error.name)) return undefined
        throw error
      }
    },
  }
}

const OPTIONS: Checks<S3ResultsOptions> = {
  bucket: required(matching(/./, 'the name of a bucket (is its environment variable set?)')),
  prefix: matching(/^/, 'a text'),
  client: having('an S3Client', 'send'),
}

const GONE: readonly string[] = ['NoSuchKey', 'NotFound', 'AccessDenied']
