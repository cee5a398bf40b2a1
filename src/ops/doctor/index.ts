export type {
  Alarm,
  DeployedFunction,
  Deployment,
  DeployedMapping,
  DeploymentPart,
  DeployedQueue,
  RedriveAllow,
  Role,
  PolicyStatement,
  Subscription,
  DeployedTable,
  TableIndex,
  DeployedTopic,
  UncheckedPart,
} from './deployment.ts'
export { diagnose, type DoctorFinding } from './rules/diagnose.ts'
export {
  type MissingClient,
  type AccountClients,
  type AccountOptions,
  fromAccount,
  type LambdaReader,
  type SnsReader,
} from './account/fromAccount.ts'
export { loadLambdaReader, loadSnsReader } from './account/loadClients.ts'
export type { HandlerSettings } from './rule.ts'
export { fromTemplate } from './template/fromTemplate.ts'
