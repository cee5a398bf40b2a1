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
  UnreadResource,
} from './deployment.ts'
export { type Ceiling, ceilingsAt, type Load, type Price, priceOf } from './ceilings.ts'
export { diagnose, type DoctorFinding } from './rules/diagnose.ts'
export {
  type MissingClient,
  type AccountClients,
  type AccountOptions,
  fromAccount,
  type LambdaReader,
  type SnsReader,
} from './account/fromAccount.ts'
export { loadLambdaReader, loadSnsReader } from './account/clients.ts'
export type { HandlerSettings, Severity } from './rule.ts'
export { type InputOptions, type Input, readDeployment } from './input/readDeployment.ts'
export { EXPECTED } from './input/parseText.ts'
export {
  fromTemplate,
  fromTemplates,
  fromTerraform,
  type TemplateOptions,
} from './input/readTemplates.ts'
export type { SourceTemplate } from './template/stack.ts'
