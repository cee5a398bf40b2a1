export type { ResultStore } from '../../context/results/resultStore.ts'
export type { LargePayloads } from '../../record/envelope/envelope.ts'
export { s3Payloads, type S3PayloadsOptions } from './s3Payloads.ts'
export { s3Results, type S3ResultsOptions } from './s3Results.ts'
