import { valueOf } from '../address.ts'
import { address } from '../route.ts'
import { StepList } from './steps/StepList.tsx'
import { StepView } from './steps/StepView.tsx'

export function Steps() {
  const { query } = address.value
  const [id, step] = [valueOf(query['id']), valueOf(query['step'])]
  return id === '' || step === '' ? <StepList /> : <StepView key={`${id} ${step}`} />
}
