import { valueOf } from '../address.ts'
import { address } from '../route.ts'
import { OperationList } from './operation/OperationList.tsx'
import { OperationView } from './operation/OperationView.tsx'

export function Operation() {
  const plan = valueOf(address.value.query['plan'])
  return plan === '' ? <OperationList /> : <OperationView key={plan} plan={plan} />
}
