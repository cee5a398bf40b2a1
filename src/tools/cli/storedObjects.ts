import { messageOf } from '../../library/base/errors.ts'
import { missingPackage, type MissingClient } from '../doctor/account/clients.ts'
import type { StoredObjects } from '../operator/forget/objects.ts'
import type { CliProcess } from './process.ts'
import { OPERATOR_TIMES } from '../operator/aws/queues.ts'
import type { Shared } from './lambdaClients.ts'
import type { LocalEndpoints } from './readLocal.ts'

const S3 = '@aws-sdk/client-s3'

/** @param local undefined: the account */
export async function storedObjects(
  { objects }: Pick<CliProcess, 'objects'>,
  shared: Shared,
  local: LocalEndpoints | undefined,
): Promise<StoredObjects | MissingClient> {
  if (objects !== undefined) return objects
  if (local !== undefined) return { why: 'the local cloud has no S3', cure: 'Leave --objects out' }
  try {
    const { DeleteObjectCommand, HeadObjectCommand, S3Client } = await import('@aws-sdk/client-s3')
    const client = new S3Client({ requestHandler: OPERATOR_TIMES, ...shared })
    return {
      look: async ({ bucket, name }) => {
        try {
          await client.send(new HeadObjectCommand({ Bucket: bucket, Key: name }))
          return { kind: 'there' }
        } catch (error) {
          // Without s3:ListBucket S3 denies access to an object that is not there, too.
          if (!(error instanceof Error && GONE.has(error.name))) {
            return { kind: 'not known', why: messageOf(error) }
          }
          return isHidden(error) ? { kind: 'not known', why: VERSIONED } : { kind: 'gone' }
        }
      },
      remove: async ({ bucket, name }) => {
        try {
          const { DeleteMarker, VersionId } = await client.send(
            new DeleteObjectCommand({ Bucket: bucket, Key: name }),
          )
          return DeleteMarker === true || VersionId !== undefined ? VERSIONED : undefined
        } catch (error) {
          return messageOf(error)
        }
      },
    }
  } catch (error) {
    if (missingPackage(error) !== S3) throw error
    return { why: `${S3} is not installed`, cure: `npm install --save-dev ${S3}`, package: S3 }
  }
}

/** S3 answers a look at a hidden object as at none, with this header. */
function isHidden(error: Error): boolean {
  const response: unknown = '$response' in error ? error.$response : undefined
  const { headers } = Object(response) as {
    readonly headers?: Readonly<Record<string, string>>
  }
  return headers?.['x-amz-delete-marker'] === 'true'
}

const GONE: ReadonlySet<string> = new Set(['NotFound', 'NoSuchKey'])
const VERSIONED =
  'it is hidden, and the bucket keeps its earlier versions: delete them there, or by a lifecycle rule for noncurrent versions'
