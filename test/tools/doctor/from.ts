import type { Deployment } from '../../../src/tools/doctor/deployment.ts'
import { flatStacks } from '../../../src/tools/doctor/input/readFiles.ts'
import { deploymentOf } from '../../../src/tools/doctor/template/deploymentOf.ts'
import { flattenPlan } from '../../../src/tools/doctor/terraform/flattenPlan.ts'

interface TemplateOptions {
  readonly tableName?: string
}

export function fromTemplate(body: unknown, options: TemplateOptions = {}): Deployment {
  return deploymentOf([flatStacks([{ name: '', value: body }])], options)
}

/** What `terraform show -json` prints of a plan or a state. */
export function fromTerraform(json: unknown, options: TemplateOptions = {}): Deployment {
  return deploymentOf([flattenPlan(json, '')], options)
}
