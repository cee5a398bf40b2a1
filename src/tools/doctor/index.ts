export type { Deployment } from './deployment.ts'
export { ceilingsAt, type Load, priceOf } from './ceilings.ts'
export { diagnose, type DoctorFinding } from './rules/diagnose.ts'
export { fromAccount } from './account/fromAccount.ts'
export {
  loadLambdaReader,
  loadSnsReader,
  type LambdaReader,
  type MissingClient,
  type SnsReader,
} from './account/clients.ts'
export { readDeployment } from './input/readFiles.ts'
export { EXPECTED } from './input/parseText.ts'
