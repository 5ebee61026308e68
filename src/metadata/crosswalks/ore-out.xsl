<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: Apache-2.0 -->
<!-- DIM and files to an OAI-ORE resource map in Atom: the item aggregates its files. Parameters: identifier (a URI), url, datestamp. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:dim="http://www.dspace.org/xmlns/dspace/dim"
    xmlns:atom="http://www.w3.org/2005/Atom" exclude-result-prefixes="dim">
  <xsl:output method="xml" encoding="UTF-8" omit-xml-declaration="yes"/>
  <xsl:param name="identifier"/>
  <xsl:param name="url"/>
  <xsl:param name="datestamp"/>

  <xsl:template match="/dim:dim">
    <xsl:variable name="fields" select="dim:field[@mdschema = 'dc']"/>
    <atom:entry>
      <atom:id><xsl:value-of select="$identifier"/></atom:id>
      <atom:title><xsl:value-of select="$fields[@element = 'title'][not(@qualifier)][1]"/></atom:title>
      <xsl:if test="$datestamp != ''"><atom:updated><xsl:value-of select="$datestamp"/></atom:updated></xsl:if>
      <xsl:for-each select="$fields[@element = 'creator' or (@element = 'contributor' and @qualifier = 'author')]">
        <atom:author><atom:name><xsl:value-of select="."/></atom:name></atom:author>
      </xsl:for-each>
      <atom:category scheme="http://www.openarchives.org/ore/terms/" term="http://www.openarchives.org/ore/terms/Aggregation" label="Aggregation"/>
      <xsl:if test="$url != ''">
        <atom:link rel="alternate" type="text/html" href="{$url}"/>
        <atom:link rel="http://www.openarchives.org/ore/terms/describes" href="{$url}"/>
      </xsl:if>
      <xsl:for-each select="file">
        <atom:link rel="http://www.openarchives.org/ore/terms/aggregates" href="{@url}" title="{@name}" type="{@media_type}" length="{@size}"/>
      </xsl:for-each>
    </atom:entry>
  </xsl:template>
</xsl:stylesheet>
