export type { Offload } from '../../run/context/results/resultStore.ts'
export { s3Objects, type S3ObjectsOptions } from './s3Objects.ts'
