export type {
  Alarm,
  DeployedFunction,
  Deployment,
  Mapping,
  Part,
  Queue,
  RedriveAllow,
  Role,
  Statement,
  Subscription,
  Table,
  TableIndex,
  Topic,
  Unseen,
} from './deployment.ts'
export { diagnose, type Finding } from './diagnose.ts'
export {
  type Absent,
  type AccountClients,
  type AccountOptions,
  fromAccount,
  type LambdaReader,
  type SnsReader,
} from './account/fromAccount.ts'
export { loadLambda, loadSns } from './account/loadClients.ts'
export type { Expected } from './rule.ts'
export { fromTemplate } from './template/fromTemplate.ts'
