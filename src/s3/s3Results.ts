import type { S3Client } from '@aws-sdk/client-s3'
import type { ResultStore } from '../context/results/resultStore.ts'
import { stableId } from '../ids.ts'
import { wrongOption } from '../options.ts'
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
 * @throws ConfigError when `bucket` is empty.
 * @example
 * const results = s3Results({ bucket: 'my-results' })
 * const consumer = recordHandler({ name: 'orders', store, results }, work)
 */
export function s3Results({
  bucket,
  prefix = 'lineclear-results/',
  client,
}: S3ResultsOptions): ResultStore {
  if (typeof bucket !== 'string' || bucket === '') {
    const expected = 'the name of a bucket (is its environment variable set?)'
    throw wrongOption('s3Results', 'bucket', expected, bucket)
  }
  const s3 = lazyS3(client)
  const objectOf = (key: string) => ({ Bucket: bucket, Key: `${prefix}${stableId(key)}.json` })
  return {
    async put(key, text) {
      const { sdk, client: s3Client } = await s3()
      const object = { ...objectOf(key), Body: text, ContentType: 'application/json' }
      await s3Client.send(new sdk.PutObjectCommand(object))
    },
    async get(key) {
      const { sdk, client: s3Client } = await s3()
      try {
        const { Body } = await s3Client.send(new sdk.GetObjectCommand(objectOf(key)))
        return await Body?.transformToString()
      } catch (error) {
        // Without `s3:ListBucket` S3 does not tell a missing object from a forbidden one (GetObject, "Permissions").
        if (error instanceof Error && GONE.includes(error.name)) return undefined
        throw error
      }
    },
  }
}

const GONE: readonly string[] = ['NoSuchKey', 'NotFound', 'AccessDenied']
