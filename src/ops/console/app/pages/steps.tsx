import { valueOf } from '../address.ts'
import type { Page } from '../page.ts'
import { address } from '../route.ts'
import { StepList } from './steps/StepList.tsx'
import { StepView } from './steps/StepView.tsx'

export const steps: Page = { path: '/steps', title: 'Waiting steps', View: Steps }

function Steps() {
  const { query } = address.value
  const [id, step] = [valueOf(query['id']), valueOf(query['step'])]
  return id === '' || step === '' ? <StepList /> : <StepView key={`${id} ${step}`} />
}
