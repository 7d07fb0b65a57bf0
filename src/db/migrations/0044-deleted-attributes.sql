-- Attributes of a category that have been deleted: answers and files that they were for stay, and stay hidden. Those that were deleted before
-- are not known.
create table dynamic_deleted_attributes (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  type text not null,
  category text not null
);
select tenant_table('dynamic_deleted_attributes');
