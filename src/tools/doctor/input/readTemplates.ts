import type { Deployment } from '../deployment.ts'
import { expandSam, takenNames } from '../sam/expandSam.ts'
import { flattenPlan } from '../terraform/flattenPlan.ts'

import { deploymentOf, type Flat, flatten } from '../template/deploymentOf.ts'
import { isTemplate, unreadStacks } from '../template/readUnread.ts'
import { type SourceTemplate, stackOf, withNested } from '../template/stack.ts'

interface TemplateOptions {
  /** Of the framework's table, default `lineclear`. */
  readonly tableName?: string
}

/**
 * Reads one CloudFormation template, as `fromTemplates` does.
 * @throws TypeError when it is not a template.
 */
export function fromTemplate(template: unknown, options: TemplateOptions = {}): Deployment {
  return fromTemplates([{ name: '', body: template }], options)
}

/**
 * Reads CloudFormation templates that are deployed together: as they are written, with SAM, or as `osls package`, `cdk synth` and
 * `sam build` make them. Functions of CloudFormation are computed from parameters, conditions and mappings, across nested stacks
 * and exports; what is in none of these templates stays text.
 * @throws TypeError when one is not a template.
 */
export function fromTemplates(
  sources: readonly SourceTemplate[],
  options: TemplateOptions = {},
): Deployment {
  return deploymentOf([flatStacks(sources)], options)
}

/** @throws TypeError when one is not a template. */
export function flatStacks(sources: readonly SourceTemplate[]): Flat {
  for (const { body } of sources) {
    if (!isTemplate(body)) {
      throw new TypeError('This is not a CloudFormation template: it has no Resources.')
    }
  }
  const stacks = sources.flatMap((source) => withNested(stackOf(source, expandSam)))
  const flat = flatten(stacks)
  return {
    ...flat,
    unread: [...flat.unread, ...unreadStacks(stacks)],
    takenNames: sources.flatMap(takenNames),
  }
}

/**
 * Reads a plan or a state of Terraform, as `terraform show -json` prints it. A plan shows what refers to what, and policies only
 * where they are known before they are applied.
 */
export function fromTerraform(json: unknown, options: TemplateOptions = {}): Deployment {
  return deploymentOf([flattenPlan(json, '')], options)
}
