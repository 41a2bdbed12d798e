import { z } from 'zod'
import { DateTime, ROLES, Str, SubjectName } from './common.ts'
import { Claims } from './ops/engine/info.ts'

/** Fields that the operations on tokens, pairing codes and devices share. */

const MOST_GRANTS = 500

export const Grants = z.record(z.string(), z.enum(ROLES))
const GrantsIn = z
  .record(z.string().regex(/^(?:\*|[a-z0-9][a-z0-9._-]{0,126})$/, 'must be the name of a namespace, or *'), z.enum(ROLES))
  .refine((grants) => Object.keys(grants).length >= 1 && Object.keys(grants).length <= MOST_GRANTS, `must hold 1 to ${MOST_GRANTS} grants`)
  .meta({ minProperties: 1, maxProperties: MOST_GRANTS })
  .describe('Role by namespace; `*` stands for all. org_admin and platform_admin only under `*`.')

/** An org, or `*` for all of them. */
export const OrgOrAll = z
  .string()
  .regex(/^(?:\*|[a-z0-9][a-z0-9._-]{0,126})$/, 'must be the name of an org, or * for a platform admin')
  .optional()
  .describe('Filled from the token; only a platform admin names another, or `*` for all.')

export const Subject = SubjectName.min(1).describe('Who it stands for: the actor is <kind>:<subject>.')
export const TokenKind = z.enum(['human', 'process'])

/** What a token or pairing code grants, and to what it binds its holder. */
export const holder = {
  grants: GrantsIn,
  user_id: SubjectName.default('').describe('Binds to one user: only rows of that user are read and written.'),
  own_session: z.boolean().default(false).describe('Binds to one session.'),
  session_id: SubjectName.default('').describe('The session of own_session; one of its own when left out.'),
}

/** What a device says of itself. */
export const deviceFields = {
  device_name: SubjectName.min(1).describe('Name that people see, such as the host name.'),
  device_key: z
    .string()
    .regex(/^[A-Za-z0-9_-]{43}$/, 'must be an Ed25519 public key: 32 bytes in base64url')
    .describe('Ed25519 public key, 32 bytes in base64url.'),
  proof: z.string().regex(/^[A-Za-z0-9_-]{86}$/, 'must be an Ed25519 signature: 64 bytes in base64url'),
  platform: Str.max(200).default(''),
  app_version: Str.max(200).default(''),
  judge_version: Str.max(200).default(''),
  embedding_model: Str.max(200).default(''),
}

/** What a device is told when it is paired or comes back. */
export const deviceAnswer = z.object({
  device_id: z.string(),
  token: z.string().describe('Token of the device, only here; empty when a device token refreshed its device.'),
  claims: Claims,
  server_id: z.string(),
  server_version: z.string(),
  judge_version: z.string(),
  protocol: z.int(),
  erasure_seq: z.int(),
})

/** A token that was made just now: the only time that it is shown. */
export const mintedToken = z.object({ token: z.string(), claims: Claims })

/** A token in a list: never its secret, nor the hash of it. */
export const ListedToken = Claims.extend({
  created_at: DateTime,
  created_by: z.string(),
  last_used_at: DateTime.nullable(),
  revoked_at: DateTime.nullable(),
  note: z.string(),
})
