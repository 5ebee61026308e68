<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: Apache-2.0 -->
<!-- DIM to MODS 3. What mods-in.xsl takes back are the same fields, but for those that MODS has no place for. Parameter: url. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:dim="http://www.dspace.org/xmlns/dspace/dim"
    xmlns:mods="http://www.loc.gov/mods/v3" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" exclude-result-prefixes="dim">
  <xsl:output method="xml" encoding="UTF-8" omit-xml-declaration="yes"/>
  <xsl:param name="url"/>

  <!-- qualifier of dc.relation -> type of relatedItem -->
  <xsl:variable name="related" select="concat(' ispartof=host ispartofseries=series isversionof=otherVersion hasversion=otherVersion',
    ' isformatof=otherFormat hasformat=otherFormat isreferencedby=isReferencedBy references=references isbasedon=original',
    ' replaces=preceding isreplacedby=succeeding haspart=constituent ')"/>

  <xsl:template match="/dim:dim">
    <mods:mods xsi:schemaLocation="http://www.loc.gov/mods/v3 http://www.loc.gov/standards/mods/v3/mods-3-8.xsd">
      <xsl:apply-templates select="dim:field[@mdschema = 'dc']"/>
      <xsl:if test="$url != ''"><mods:location><mods:url><xsl:value-of select="$url"/></mods:url></mods:location></xsl:if>
    </mods:mods>
  </xsl:template>

  <xsl:template match="dim:field"/>

  <xsl:template match="dim:field[@element = 'title']">
    <mods:titleInfo>
      <xsl:if test="@qualifier"><xsl:attribute name="type">alternative</xsl:attribute></xsl:if>
      <mods:title><xsl:value-of select="."/></mods:title>
    </mods:titleInfo>
  </xsl:template>

  <xsl:template match="dim:field[@element = 'contributor' or @element = 'creator']">
    <mods:name>
      <mods:namePart><xsl:value-of select="."/></mods:namePart>
      <xsl:if test="@qualifier or @element = 'creator'">
        <mods:role>
          <mods:roleTerm type="text">
            <xsl:choose>
              <xsl:when test="@qualifier"><xsl:value-of select="@qualifier"/></xsl:when>
              <xsl:otherwise>author</xsl:otherwise>
            </xsl:choose>
          </mods:roleTerm>
        </mods:role>
      </xsl:if>
    </mods:name>
  </xsl:template>

  <xsl:template match="dim:field[@element = 'description']"><mods:note><xsl:call-template name="typed"/></mods:note></xsl:template>
  <xsl:template match="dim:field[@element = 'description'][@qualifier = 'abstract']" priority="2">
    <mods:abstract><xsl:value-of select="."/></mods:abstract>
  </xsl:template>
  <xsl:template match="dim:field[@element = 'description'][@qualifier = 'tableofcontents']" priority="2">
    <mods:tableOfContents><xsl:value-of select="."/></mods:tableOfContents>
  </xsl:template>
  <xsl:template match="dim:field[@element = 'description'][@qualifier = 'provenance']" priority="2"/>

  <xsl:template match="dim:field[@element = 'publisher']">
    <mods:originInfo><mods:publisher><xsl:value-of select="."/></mods:publisher></mods:originInfo>
  </xsl:template>

  <xsl:template match="dim:field[@element = 'date']">
    <mods:originInfo>
      <xsl:choose>
        <xsl:when test="@qualifier = 'issued'"><mods:dateIssued encoding="iso8601"><xsl:value-of select="."/></mods:dateIssued></xsl:when>
        <xsl:when test="@qualifier = 'created'"><mods:dateCreated encoding="iso8601"><xsl:value-of select="."/></mods:dateCreated></xsl:when>
        <xsl:when test="@qualifier = 'copyright'"><mods:copyrightDate encoding="iso8601"><xsl:value-of select="."/></mods:copyrightDate></xsl:when>
        <xsl:when test="@qualifier = 'modified'"><mods:dateModified encoding="iso8601"><xsl:value-of select="."/></mods:dateModified></xsl:when>
        <xsl:otherwise><mods:dateOther encoding="iso8601"><xsl:call-template name="typed"/></mods:dateOther></xsl:otherwise>
      </xsl:choose>
    </mods:originInfo>
  </xsl:template>

  <xsl:template match="dim:field[@element = 'type']"><mods:genre><xsl:value-of select="."/></mods:genre></xsl:template>

  <xsl:template match="dim:field[@element = 'language']">
    <mods:language>
      <mods:languageTerm>
        <xsl:if test="@qualifier = 'iso' or @qualifier = 'rfc3066'">
          <xsl:attribute name="type">code</xsl:attribute>
          <xsl:attribute name="authority"><xsl:choose><xsl:when test="@qualifier = 'iso'">iso639-2b</xsl:when><xsl:otherwise>rfc3066</xsl:otherwise></xsl:choose></xsl:attribute>
        </xsl:if>
        <xsl:value-of select="."/>
      </mods:languageTerm>
    </mods:language>
  </xsl:template>

  <xsl:template match="dim:field[@element = 'format']">
    <mods:physicalDescription>
      <xsl:choose>
        <xsl:when test="@qualifier = 'mimetype'"><mods:internetMediaType><xsl:value-of select="."/></mods:internetMediaType></xsl:when>
        <xsl:when test="@qualifier = 'extent'"><mods:extent><xsl:value-of select="."/></mods:extent></xsl:when>
        <xsl:otherwise><mods:form><xsl:value-of select="."/></mods:form></xsl:otherwise>
      </xsl:choose>
    </mods:physicalDescription>
  </xsl:template>

  <xsl:template match="dim:field[@element = 'subject']">
    <xsl:choose>
      <xsl:when test="@qualifier = 'classification'"><mods:classification><xsl:value-of select="."/></mods:classification></xsl:when>
      <xsl:when test="@qualifier = 'lcc' or @qualifier = 'ddc'"><mods:classification authority="{@qualifier}"><xsl:value-of select="."/></mods:classification></xsl:when>
      <xsl:otherwise>
        <mods:subject>
          <xsl:if test="@qualifier"><xsl:attribute name="authority"><xsl:value-of select="@qualifier"/></xsl:attribute></xsl:if>
          <mods:topic><xsl:value-of select="."/></mods:topic>
        </mods:subject>
      </xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <xsl:template match="dim:field[@element = 'coverage']">
    <mods:subject>
      <xsl:choose>
        <xsl:when test="@qualifier = 'temporal'"><mods:temporal><xsl:value-of select="."/></mods:temporal></xsl:when>
        <xsl:otherwise><mods:geographic><xsl:value-of select="."/></mods:geographic></xsl:otherwise>
      </xsl:choose>
    </mods:subject>
  </xsl:template>

  <xsl:template match="dim:field[@element = 'relation' or @element = 'source']">
    <xsl:variable name="entry" select="concat(' ', @qualifier, '=')"/>
    <mods:relatedItem>
      <xsl:if test="@element = 'source' or (@qualifier and contains($related, $entry))">
        <xsl:attribute name="type">
          <xsl:choose>
            <xsl:when test="@element = 'source'">original</xsl:when>
            <xsl:otherwise><xsl:value-of select="substring-before(substring-after($related, $entry), ' ')"/></xsl:otherwise>
          </xsl:choose>
        </xsl:attribute>
      </xsl:if>
      <xsl:choose>
        <xsl:when test="@qualifier = 'uri'"><mods:location><mods:url><xsl:value-of select="."/></mods:url></mods:location></xsl:when>
        <xsl:otherwise><mods:titleInfo><mods:title><xsl:value-of select="."/></mods:title></mods:titleInfo></xsl:otherwise>
      </xsl:choose>
    </mods:relatedItem>
  </xsl:template>

  <xsl:template match="dim:field[@element = 'identifier']"><mods:identifier><xsl:call-template name="typed"/></mods:identifier></xsl:template>
  <xsl:template match="dim:field[@element = 'identifier'][@qualifier = 'citation']" priority="2">
    <mods:relatedItem type="host"><mods:part><mods:text><xsl:value-of select="."/></mods:text></mods:part></mods:relatedItem>
  </xsl:template>

  <xsl:template match="dim:field[@element = 'rights']"><mods:accessCondition><xsl:call-template name="typed"/></mods:accessCondition></xsl:template>

  <xsl:template name="typed">
    <xsl:if test="@qualifier"><xsl:attribute name="type"><xsl:value-of select="@qualifier"/></xsl:attribute></xsl:if>
    <xsl:value-of select="."/>
  </xsl:template>
</xsl:stylesheet>
