import type { components } from '../../../generated/api.ts';
import { flagOf } from '../../core/resource/codec.ts';
import { type Action, ok } from '../../engine/action.ts';

/** GET /me: returns the tenant and the API user of the token, and the limits of its requests. */
export const read: Action<'me_read'> = async (
  { principal, limits: { filters, filterValues, filterBytes, sortFields, embeds } },
  _,
  services,
) => {
  const { tenant, apiUser } = principal;
  const { instance, hostsOf } = services;
  const { requests, ...limits } = instance.limits;
  return ok({
    tenant: {
      slug: tenant.slug,
      name: tenant.name,
      time_zone: tenant.timeZone,
      modules: [...tenant.modules].sort() as components['schemas']['Module'][],
      hosts: [...(await hostsOf(tenant))],
      sandbox: flagOf(tenant.sandbox),
    },
    api_user: {
      id: apiUser.id,
      name: apiUser.name,
      read_only: flagOf(apiUser.readOnly),
      scopes: [...apiUser.scopes],
      hidden: [...apiUser.hidden],
    },
    limits: {
      requests: tenant.rateLimit ?? requests,
      ...limits,
      filters,
      filter_values: filterValues,
      filter_bytes: filterBytes,
      sort_fields: sortFields,
      embeds,
    },
    api_version: instance.apiVersion,
    service_version: instance.serviceVersion,
  });
};
