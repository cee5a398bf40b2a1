import type { S3Client } from '@aws-sdk/client-s3'
import { perEnvironment } from '../../base/lazily.ts'
import { CALL_TIMES } from '../../base/inTime.ts'

/** The SDK's package and a client. */
interface LoadedS3 {
  readonly sdk: typeof import('@aws-sdk/client-s3')
  readonly client: S3Client
}

/** Loaded at the first large object: most functions never have one. @param client default: one made from the environment */
export function lazyS3(client: S3Client | undefined): () => Promise<LoadedS3> {
  let made: Promise<LoadedS3> | undefined
  return () => (made ??= load(client))
}

type S3Sdk = LoadedS3['sdk']
const defaultS3 = perEnvironment((sdk: S3Sdk) => new sdk.S3Client({ requestHandler: CALL_TIMES }))

async function load(client: S3Client | undefined): Promise<LoadedS3> {
  const sdk = await import('@aws-sdk/client-s3')
  return { sdk, client: client ?? defaultS3(sdk) }
}
