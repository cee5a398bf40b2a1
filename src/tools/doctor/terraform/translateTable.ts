import type { Values } from '../template/values.ts'
import type { Attributes } from './attributes.ts'
import { texts } from './attributes.ts'
import type { Translated, Translation } from './translation.ts'

export function translateTable({ id, of }: Translation): readonly Translated[] {
  const ttl = of.block('ttl')
  const copies = of.blocks('replica')
  const ofOneCopy = {
    PointInTimeRecoverySpecification: {
      PointInTimeRecoveryEnabled: of.block('point_in_time_recovery')?.get('enabled') ?? false,
    },
    DeletionProtectionEnabled: of.get('deletion_protection_enabled') ?? false,
  }
  const Replicas = [
    { Region: of.get('region') ?? '${its own Region}', ...ofOneCopy },
    ...copies.map((each) => ({ Region: each.get('region_name') })),
  ]
  const strong = copies.some((each) => each.get('consistency_mode') === 'STRONG')
  return [
    {
      id,
      Type: 'AWS::DynamoDB::Table',
      Properties: {
        TableName: of.get('name'),
        KeySchema: keySchema(of),
        BillingMode: of.get('billing_mode') ?? 'PROVISIONED',
        TimeToLiveSpecification: {
          AttributeName: ttl?.get('attribute_name'),
          Enabled: ttl?.get('enabled') ?? false,
        },
        ...ofOneCopy,
        ...(copies.length === 0 ? {} : { Replicas }),
        ...(strong ? { MultiRegionConsistency: 'STRONG' } : {}),
        GlobalSecondaryIndexes: of.blocks('global_secondary_index').map(indexOf),
      },
    },
  ]
}

function indexOf(of: Attributes): Values {
  return {
    IndexName: of.get('name'),
    KeySchema: keySchema(of),
    Projection: {
      ProjectionType: of.get('projection_type'),
      NonKeyAttributes: texts(of.get('non_key_attributes')),
    },
  }
}

/** Two arguments, or blocks of an index since version 6 of the provider. */
function keySchema(of: Attributes): Values[] {
  const blocks = of.blocks('key_schema').map((each) => ({
    AttributeName: each.get('attribute_name'),
    KeyType: each.get('key_type'),
  }))
  if (blocks.length > 0) return blocks
  const range = of.get('range_key')
  return [
    { AttributeName: of.get('hash_key'), KeyType: 'HASH' },
    ...(range === undefined ? [] : [{ AttributeName: range, KeyType: 'RANGE' }]),
  ]
}
